/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnKlDiv by self: -gradOutput target where target is above 0 and 0 elsewhere, or
 * -gradOutput e^target with logTarget; for reduction 1 divided by the number of losses, for 3 by the size
 * of their dim 0.
 * gradOutput, self, target: FLOAT, FLOAT16 or BFLOAT16, which broadcast together; gradOutput broadcasts to
 * that shape. What self was broadcast over is summed in fp64, in a fixed order.
 * out has the shape of self, and a dtype that self casts to. Computed in fp64.
 */
#ifndef BELAY_ACLNNOP_ACLNN_KL_DIV_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_KL_DIV_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnKlDivBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *target, int64_t reduction, bool logTarget, aclTensor *out)
#endif
