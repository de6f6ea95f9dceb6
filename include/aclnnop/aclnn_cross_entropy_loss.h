/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The cross entropy of rows of logits with a class for each: logProbOut = log_softmax(input), lossOut =
 * -w[y] logProb[y] of each row, smoothed by labelSmoothing as PyTorch's cross_entropy has it, their sum,
 * or their mean over the weights. input (N, C) and the outputs: FLOAT, FLOAT16 or BFLOAT16, the same;
 * target (N): INT64 or INT32; weightOptional (C): any of the floats; reductionOptional: "none", "mean"
 * (and NULL) or "sum". Rows whose class is ignoreIndex count 0; any other class that is none fails the
 * work. zlossOut and lseForZlossOut must be given and are left alone. In DOUBLE, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CROSS_ENTROPY_LOSS_H
#define BELAY_ACLNNOP_ACLNN_CROSS_ENTROPY_LOSS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnCrossEntropyLoss, const aclTensor *input, const aclTensor *target,
               const aclTensor *weightOptional, char *reductionOptional, int64_t ignoreIndex,
               double labelSmoothing, double lseSquareScaleForZloss, bool returnZloss,
               const aclTensor *lossOut, const aclTensor *logProbOut, const aclTensor *zlossOut,
               const aclTensor *lseForZlossOut)
#endif
