/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnBinaryCrossEntropyWithLogits by target: gradOutput weight (ln sigma(-self) - p ln
 * sigma(self)), p of posWeight, for reduction 1 divided by the number of elements.
 * gradOutput, self, target, weightOptional, posWeightOptional (1 where they are NULL): FLOAT, FLOAT16 or
 * BFLOAT16, which promote to a dtype that casts to the one of gradTarget; target has the shape of self, as
 * gradTarget has; the others broadcast to it.
 * Computed in fp64 and rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BINARY_CROSS_ENTROPY_WITH_LOGITS_TARGET_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_BINARY_CROSS_ENTROPY_WITH_LOGITS_TARGET_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBinaryCrossEntropyWithLogitsTargetBackward, const aclTensor *gradOutput,
               const aclTensor *self, const aclTensor *target, const aclTensor *weightOptional,
               const aclTensor *posWeightOptional, int64_t reduction, aclTensor *gradTarget)
#endif
