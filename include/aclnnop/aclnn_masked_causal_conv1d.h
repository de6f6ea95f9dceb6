/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Convolution of each channel along tokens with the tokens before them.
 * - x (S, B, H), weight (W, H) and out, like x: FLOAT, FLOAT16 or BFLOAT16, of one dtype; maskOptional: BOOL (B, S).
 * - out[s] is the sum of weight[k] x[s - (W - 1 - k)], with zeros before the first token; 0 where the mask is false.
 * In DOUBLE, rounded once. 161002 too: other shapes, a weight without rows. Known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MASKED_CAUSAL_CONV1D_H
#define BELAY_ACLNNOP_ACLNN_MASKED_CAUSAL_CONV1D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMaskedCausalConv1d, const aclTensor *x, const aclTensor *weight,
               const aclTensor *maskOptional, aclTensor *out)
#endif
