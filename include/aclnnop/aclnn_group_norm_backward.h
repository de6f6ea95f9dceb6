/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnGroupNorm: with n = (input - mean) rstd and h = gradOut gamma
 *
 *     gradInput = rstd (h - mean of h - n mean of h n), means over each group of each image
 *     gradGammaOut = sum of gradOut n, gradBetaOut = sum of gradOut, over each channel of all images
 *
 * gradOut and input: FLOAT, FLOAT16 or BFLOAT16, one dtype and one shape: dims N and C, and then some with
 * HxW elements together, or any with as many elements that follow one another; mean and rstd: N group
 * elements in any shape, gamma: C elements along one dim, NULL: 1; each of FLOAT or that dtype. group: a
 * divisor of C. outputMask: three entries; an output whose entry is false is not written, else it must be
 * given (161001): gradInput of the shape of input, the others of C elements, in any of these dtypes. Computed
 * in DOUBLE, sums in an order that shapes fix, rounded once to the dtypes of the outputs.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUP_NORM_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_GROUP_NORM_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupNormBackward, const aclTensor *gradOut, const aclTensor *input,
               const aclTensor *mean, const aclTensor *rstd, const aclTensor *gamma, int64_t N, int64_t C,
               int64_t HxW, int64_t group, const aclBoolArray *outputMask, aclTensor *gradInput,
               aclTensor *gradGammaOut, aclTensor *gradBetaOut)
#endif
