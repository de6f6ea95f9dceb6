/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnKlDiv by target: gradOutput (ln target - self + 1), 0 where target is 0, or
 * gradOutput e^target (target - self + 1) with logTarget; for reduction 1 divided by the number of losses,
 * for 3 by the size of their dim 0.
 * gradOutput, self, target: FLOAT, FLOAT16 or BFLOAT16, which broadcast together; gradOutput broadcasts to
 * that shape. What target was broadcast over is summed in fp64, in a fixed order.
 * gradTarget has the shape and dtype of target. Computed in fp64.
 */
#ifndef BELAY_ACLNNOP_ACLNN_KL_DIV_TARGET_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_KL_DIV_TARGET_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnKlDivTargetBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *target, int64_t reduction, bool logTarget, aclTensor *gradTarget)
#endif
