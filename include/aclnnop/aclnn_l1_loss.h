/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The distances |self - target| for reduction 0, their mean for 1, their sum for 2.
 * self, target: FLOAT, FLOAT16, BFLOAT16 or INT64, which promote to a dtype that casts to the one of out, for
 * the mean to a float; they broadcast. out has the shape that they broadcast to for reduction 0, else one
 * element, () or {1}. Of nothing the mean is NaN and the sum 0. Integers wrap.
 * Computed in fp64; sums in an order that the number of elements fixes; rounded once to the dtype that all
 * inputs promote to, then to that of the output.
 */
#ifndef BELAY_ACLNNOP_ACLNN_L1_LOSS_H
#define BELAY_ACLNNOP_ACLNN_L1_LOSS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnL1Loss, const aclTensor *self, const aclTensor *target, int64_t reduction, aclTensor *out)
#endif
