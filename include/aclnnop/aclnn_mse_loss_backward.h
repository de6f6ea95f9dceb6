/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnMseLoss by self: 2 gradOutput (self - target), for reduction 1 divided by the number
 * of elements. gradOutput, self, target: FLOAT, FLOAT16 or BFLOAT16, one dtype, which casts to that of out;
 * out has the shape that the three broadcast to. Computed in fp64; sums in an order that the number of
 * elements fixes; rounded once to the dtype that all inputs promote to, then to that of the output.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MSE_LOSS_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_MSE_LOSS_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMseLossBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *target, int64_t reduction, aclTensor *out)
#endif
