/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnSoftMarginLoss by self: -gradOutput target sigma(-self target), for reduction 1
 * divided by the number of losses.
 * gradOutput, self, target: FLOAT, FLOAT16 or BFLOAT16, which promote to a dtype that casts to the one of
 * out; they broadcast to the shape of out. Computed in fp64.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SOFT_MARGIN_LOSS_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_SOFT_MARGIN_LOSS_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSoftMarginLossBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *target, int64_t reduction, aclTensor *out)
#endif
