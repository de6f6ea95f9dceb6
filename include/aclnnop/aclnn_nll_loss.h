/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The negative log likelihood of the classes that target names: -weight[target] self[target], 0 where target
 * is ignoreIndex. reduction 0 gives all of them, 2 their sum, 1 that divided by the sum of weight[target] of
 * what is not ignored, which is totalWeightOut but for reduction 0, where that is 0. Of nothing the mean is
 * NaN, as wherever the weights' sum is 0.
 * self: FLOAT, FLOAT16, BFLOAT16 of shape (N, C) with a target of shape (N), or (C) with one element; target:
 * INT64, INT32, UINT8; weight: (C), the dtype of self. out: (N) of reduction 0, else () or {1}, as
 * totalWeightOut always.
 * out and totalWeightOut: dtypes that the one of self casts to. Products are exact, sums in fp64 in an order
 * that the number of positions fixes; a result is rounded once. A class that is neither ignoreIndex nor from
 * 0 to C - 1 fails the work before anything is written.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NLL_LOSS_H
#define BELAY_ACLNNOP_ACLNN_NLL_LOSS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNLLLoss, const aclTensor *self, const aclTensor *target, const aclTensor *weight,
               int64_t reduction, int64_t ignoreIndex, aclTensor *out, aclTensor *totalWeightOut)
#endif
