/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * (self + 3) / 6 between -3 and 3, 0 below, 1 above; NaN stays.
 * FLOAT, FLOAT16 and BFLOAT16 and INT32, whose results are truncated. out has the shape and the dtype of
 * self. FLOAT within 1 ulp, 16 bits rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_HARDSIGMOID_H
#define BELAY_ACLNNOP_ACLNN_HARDSIGMOID_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnHardsigmoid, const aclTensor *self, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceHardsigmoid, aclTensor *self)
#endif
