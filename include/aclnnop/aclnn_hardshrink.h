/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self, but 0 where its size is at most lambd, of which a negative one counts as 0; NaN stays.
 * FLOAT, FLOAT16 and BFLOAT16; lambd is a real scalar, read as FLOAT. out has the shape of self and any of
 * these dtypes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_HARDSHRINK_H
#define BELAY_ACLNNOP_ACLNN_HARDSHRINK_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnHardshrink, const aclTensor *self, const aclScalar *lambd, aclTensor *out)
#endif
