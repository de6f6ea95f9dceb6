/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnPrelu: gradInput is gradOutput where self is above 0 and gradOutput times the
 * weight elsewhere; gradWeight is, for each weight, the sum of gradOutput times self where self is not
 * above 0, in DOUBLE and rounded once. FLOAT, FLOAT16 or BFLOAT16, one for all; gradOutput broadcasts
 * to the shape of self, which gradInput has; gradWeight has as many elements as weight.
 */
#ifndef BELAY_ACLNNOP_ACLNN_PRELU_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_PRELU_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnPreluBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *weight, aclTensor *gradInput, aclTensor *gradWeight)
#endif
