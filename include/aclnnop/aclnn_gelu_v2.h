/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The Gaussian error linear unit: x Phi(x) with the distribution function Phi of the normal distribution;
 * where approximate is 1, x / (1 + e^-2u) with u = sqrt(2 / pi) (x + 0.044715 x^3). NaN where x is -inf.
 * FLOAT, FLOAT16 and BFLOAT16. y has the shape and the dtype of x. FLOAT within 1 ulp, 16 bits rounded
 * once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GELU_V2_H
#define BELAY_ACLNNOP_ACLNN_GELU_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGeluV2, const aclTensor *x, int64_t approximate, aclTensor *y)
#endif
