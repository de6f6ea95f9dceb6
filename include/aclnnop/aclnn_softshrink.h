/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self - lambd above lambd, self + lambd below -lambd, between them 0 with the sign of self; NaN stays.
 * FLOAT, FLOAT16 and BFLOAT16; lambd is a real scalar of 0 or more, read as FLOAT. out has the shape of
 * self and any of these dtypes. Rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SOFTSHRINK_H
#define BELAY_ACLNNOP_ACLNN_SOFTSHRINK_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSoftshrink, const aclTensor *self, const aclScalar *lambd, aclTensor *out)
#endif
