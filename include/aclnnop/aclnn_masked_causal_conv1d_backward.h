/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of x and weight by aclnn_masked_causal_conv1d.h.
 * - gradOut, gradX: like x; gradWeight: like weight. gradOut counts as 0 where the mask is false.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MASKED_CAUSAL_CONV1D_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_MASKED_CAUSAL_CONV1D_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMaskedCausalConv1dBackward, const aclTensor *gradOut, const aclTensor *x,
               const aclTensor *weight, const aclTensor *maskOptional, aclTensor *gradX,
               aclTensor *gradWeight)
#endif
