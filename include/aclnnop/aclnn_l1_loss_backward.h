/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnL1Loss by self: gradOutput times the sign of self - target, 0 where they are equal,
 * for reduction 1 divided by the number of elements. gradOutput, self, target: FLOAT, FLOAT16 or BFLOAT16,
 * which promote to a dtype that casts to the one of gradInput; gradInput has the shape that the three
 * broadcast to. Computed in fp64; sums in an order that the number of elements fixes; rounded once to the
 * dtype that all inputs promote to, then to that of the output.
 */
#ifndef BELAY_ACLNNOP_ACLNN_L1_LOSS_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_L1_LOSS_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnL1LossBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *target, int64_t reduction, aclTensor *gradInput)
#endif
