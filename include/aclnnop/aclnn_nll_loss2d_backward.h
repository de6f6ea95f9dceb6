/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnNLLLoss2d by self: aclnnNLLLossBackward for self of shape (N, C, H, W), target of
 * shape (N, H, W) and for reduction 0 a gradOutput of that shape. totalWeight is not written.
 * gradOutput, weight and totalWeight (one element, which is looked at for reduction 1 alone, and trusted)
 * have the dtype of self, FLOAT, FLOAT16 or BFLOAT16; out that and the shape of self, whose elements are not
 * read. Computed in fp64 and rounded once. A class that is neither ignoreIndex nor from 0 to C - 1 fails the
 * work before anything is written.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NLL_LOSS2D_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_NLL_LOSS2D_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNLLLoss2dBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *target, const aclTensor *weight, int64_t reduction, int64_t ignoreIndex,
               aclTensor *totalWeight, aclTensor *out)
#endif
