/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The Kullback-Leibler divergence of logarithms self from target, target (ln target - self), or e^target
 * (target - self) with logTarget, for reduction 0; the mean for 1, the sum for 2, the sum divided by the
 * size of dim 0 for 3. Where target is 0 it is 0 - 0 self, and NaN below.
 * self, target: FLOAT, FLOAT16 or BFLOAT16, which promote to a dtype that casts to the one of out; they
 * broadcast. out has the shape that they broadcast to for reduction 0, else one element, () or {1}. Of
 * nothing means are NaN and the sum is 0.
 * Computed in fp64; sums in an order that the number of elements fixes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_KL_DIV_H
#define BELAY_ACLNNOP_ACLNN_KL_DIV_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnKlDiv, const aclTensor *self, const aclTensor *target, int64_t reduction, bool logTarget,
               aclTensor *out)
#endif
