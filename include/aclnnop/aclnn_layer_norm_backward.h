/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnLayerNorm: with n = (input - mean) rstd and h = gradOut weight
 *
 *     gradInputOut = rstd (h - mean of h - n mean of h n), means over the dims of normalizedShape
 *     gradWeightOut = sum of gradOut n, gradBiasOut = sum of gradOut, over all rows
 *
 * gradOut and input: FLOAT, FLOAT16 or BFLOAT16, one dtype and one shape; mean and rstd: any of these, an
 * element for each row, in any shape; weightOptional: FLOAT or the dtype of input, of the shape
 * normalizedShape, NULL: 1; biasOptional: so too, and not used. outputMask: three entries; an output whose
 * entry is false is not written, else it must be given (161001): gradInputOut of the shape of input, the
 * others of as many elements as normalizedShape has, in any of these dtypes. Computed in DOUBLE, sums in an
 * order that shapes fix, rounded once to the dtypes of the outputs.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LAYER_NORM_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_LAYER_NORM_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLayerNormBackward, const aclTensor *gradOut, const aclTensor *input,
               const aclIntArray *normalizedShape, const aclTensor *mean, const aclTensor *rstd,
               const aclTensor *weightOptional, const aclTensor *biasOptional, const aclBoolArray *outputMask,
               aclTensor *gradInputOut, aclTensor *gradWeightOut, aclTensor *gradBiasOut)
#endif
