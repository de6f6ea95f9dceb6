/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The logistic loss ln(1 + e^(-self target)) for reduction 0, the mean for 1, the sum for 2; it never
 * overflows.
 * self, target: FLOAT, FLOAT16 or BFLOAT16, which promote to a dtype that casts to the one of out; they
 * broadcast. out has the shape that they broadcast to for reduction 0, else one element, () or {1}. Of
 * nothing the mean is NaN and the sum 0.
 * Computed in fp64; sums in an order that the number of elements fixes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SOFT_MARGIN_LOSS_H
#define BELAY_ACLNNOP_ACLNN_SOFT_MARGIN_LOSS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSoftMarginLoss, const aclTensor *self, const aclTensor *target, int64_t reduction,
               aclTensor *out)
#endif
