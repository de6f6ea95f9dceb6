/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnBinaryCrossEntropyWithLogits by self: gradOutput weight ((p target + 1 - target)
 * sigma(self) - p target), p of posWeight, for reduction 1 divided by the number of elements.
 * gradOutput, self, target, weightOptional, posWeightOptional (1 where they are NULL) and out: FLOAT,
 * FLOAT16 or BFLOAT16, one dtype; target has the shape of self, as out has; the others broadcast to it.
 * Computed in fp64 and rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BINARY_CROSS_ENTROPY_WITH_LOGITS_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_BINARY_CROSS_ENTROPY_WITH_LOGITS_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBinaryCrossEntropyWithLogitsBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *target, const aclTensor *weightOptional, const aclTensor *posWeightOptional,
               int64_t reduction, aclTensor *out)
#endif
