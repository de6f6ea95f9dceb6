/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnRmsNorm with gamma + 1 for gamma: yOut = x rstd (1 + gamma), rstd = 1 / sqrt(mean of x^2 +
 * epsilon), not rounded between. Dtypes and shapes are those of aclnnRmsNorm: x and yOut FLOAT, FLOAT16 or
 * BFLOAT16, gamma of the shape of the last dims of x, rstdOut in FLOAT. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GEMMA_RMS_NORM_H
#define BELAY_ACLNNOP_ACLNN_GEMMA_RMS_NORM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGemmaRmsNorm, const aclTensor *x, const aclTensor *gamma, double epsilon,
               const aclTensor *yOut, const aclTensor *rstdOut)
#endif
