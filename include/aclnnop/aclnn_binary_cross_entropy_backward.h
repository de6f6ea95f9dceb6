/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnBinaryCrossEntropy by self: gradOutput weight (self - target) / max(self (1 - self),
 * 1e-12), for reduction 1 divided by the number of elements.
 * gradOutput, self, target, weightOptional (1 where it is NULL): FLOAT, FLOAT16 or BFLOAT16, which promote to
 * a dtype that casts to the one of out; they broadcast to self, whose shape out has. Computed in fp64; sums
 * in an order that the number of elements fixes; rounded once to the dtype of out.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BINARY_CROSS_ENTROPY_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_BINARY_CROSS_ENTROPY_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBinaryCrossEntropyBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *target, const aclTensor *weightOptional, int64_t reduction, aclTensor *out)
#endif
