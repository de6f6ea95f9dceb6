/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The negative log likelihood of the class of each pixel: aclnnNLLLoss for self of shape (N, C, H, W) and
 * target of shape (N, H, W), which out has for reduction 0.
 * out and totalWeightOut: dtypes that the one of self casts to. Products are exact, sums in fp64 in an order
 * that the number of positions fixes; a result is rounded once. A class that is neither ignoreIndex nor from
 * 0 to C - 1 fails the work before anything is written.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NLL_LOSS2D_H
#define BELAY_ACLNNOP_ACLNN_NLL_LOSS2D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNLLLoss2d, const aclTensor *self, const aclTensor *target, const aclTensor *weight,
               int64_t reduction, int64_t ignoreIndex, aclTensor *out, aclTensor *totalWeightOut)
#endif
