/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The squared differences (self - target)^2 for reduction 0, their mean for 1, their sum for 2.
 * self, target: FLOAT, FLOAT16 or BFLOAT16, which promote to a dtype that casts to the one of out; they
 * broadcast. out has the shape that they broadcast to for reduction 0, else one element, () or {1}. Of
 * nothing the mean is NaN and the sum 0.
 * Computed in fp64; sums in an order that the number of elements fixes; rounded once to the dtype that all
 * inputs promote to, then to that of the output.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MSE_LOSS_H
#define BELAY_ACLNNOP_ACLNN_MSE_LOSS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMseLoss, const aclTensor *self, const aclTensor *target, int64_t reduction,
               aclTensor *out)
#endif
