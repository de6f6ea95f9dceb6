/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self tanh(ln (1 + e^self)); NaN where self is -inf.
 * FLOAT, FLOAT16 and BFLOAT16. out has the shape and the dtype of self. FLOAT within 1 ulp, 16 bits
 * rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MISH_H
#define BELAY_ACLNNOP_ACLNN_MISH_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMish, const aclTensor *self, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceMish, aclTensor *selfRef)
#endif
