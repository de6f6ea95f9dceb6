/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of silu(a) b weight, by the rules of aclnn_swiglu_group_quant.h.
 * gradY and yOriginOptional (.., N): the dtype of x, (.., 2 N); gradXOut like x: nothing goes on where clampLimit, above 0, is
 * reached. gradWeightOut: FLOAT, for each row the sum of gradY yOriginOptional, which is needed where weightOptional is given; not
 * looked at otherwise. Rows behind all groups are 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SWIGLU_GROUP_QUANT_GRAD_H
#define BELAY_ACLNNOP_ACLNN_SWIGLU_GROUP_QUANT_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSwigluGroupQuantGrad, const aclTensor *gradY, const aclTensor *x,
               const aclTensor *weightOptional, const aclTensor *yOriginOptional,
               const aclTensor *groupIndexOptional, double clampLimit, aclTensor *gradXOut,
               aclTensor *gradWeightOut)
#endif
