/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The self-normalising exponential linear unit: scale self above 0, alpha scale (e^self - 1) elsewhere,
 * with alpha = 1.67326324235 and scale = 1.05070098736.
 * FLOAT, FLOAT16 and BFLOAT16, INT8 and INT32, in FLOAT where self is an integer. out has the shape of
 * self and any of these dtypes, to which the result is converted: integers are truncated. FLOAT within 1 ulp,
 * 16 bits rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SELU_H
#define BELAY_ACLNNOP_ACLNN_SELU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSelu, const aclTensor *self, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceSelu, aclTensor *selfRef)
#endif
