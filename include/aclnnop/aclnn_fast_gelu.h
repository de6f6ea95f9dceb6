/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self / (1 + e^(-1.702 self)); NaN where self is -inf.
 * FLOAT, FLOAT16 and BFLOAT16. out has the shape and the dtype of self. FLOAT within 1 ulp, 16 bits
 * rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FAST_GELU_H
#define BELAY_ACLNNOP_ACLNN_FAST_GELU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFastGelu, const aclTensor *self, aclTensor *out)
#endif
