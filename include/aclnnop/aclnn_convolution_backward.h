/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of a convolution of aclnn_convolution.h, plain or transposed: of its input, its weight and
 * its bias, as outputMask asks.
 *
 * gradInput is a convolution of gradOutput with the weight, the other way round: sums run in FLOAT over the
 * channels of gradOutput and the steps of the kernel that meet an element, in blocks of 256 terms.
 * gradWeight[.., k] is the sum over all images and positions of what the step k of the kernel brought
 * together: in FLOAT along blocks of 256 positions and runs of such blocks that follow from the shape, the
 * sums of which are added up in DOUBLE. gradBias is the sum of gradOutput for each channel, in DOUBLE. Each
 * is rounded once; with BELAY_ACCURACY=exact all of it is in DOUBLE.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CONVOLUTION_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_CONVOLUTION_BACKWARD_H
#include "aclnnop/function.h"
/*
 * The gradients of Convolution.
 * All tensors: FLOAT, FLOAT16 or BFLOAT16, also different ones. gradOutput has the shape of the output, input
 * to groups are as for Convolution; outputMask has 3 values, which ask for gradInput (of input's shape),
 * gradWeight (of weight's) and gradBias (Cout): 161001 if one is asked for and NULL; what is not asked for
 * may be NULL and is not written. biasSizes: the number Cout, or anything if gradBias is not asked for.
 */
ACLNN_FUNCTION(aclnnConvolutionBackward, const aclTensor *gradOutput, const aclTensor *input,
               const aclTensor *weight, const aclIntArray *biasSizes, const aclIntArray *stride,
               const aclIntArray *padding, const aclIntArray *dilation, bool transposed,
               const aclIntArray *outputPadding, int groups, const aclBoolArray *outputMask,
               int8_t cubeMathType, aclTensor *gradInput, aclTensor *gradWeight, aclTensor *gradBias)
/*
 * The gradients of ConvTbc.
 * As ConvolutionBackward, with all three outputs: self is the gradient of the output, (T + 2 pad - K + 1, B,
 * Cout), and input, weight, bias and pad are as for ConvTbc; nothing is read of bias but how many elements it
 * has.
 */
ACLNN_FUNCTION(aclnnConvTbcBackward, const aclTensor *self, const aclTensor *input, const aclTensor *weight,
               const aclTensor *bias, int64_t pad, int8_t cubeMathType, aclTensor *gradInput,
               aclTensor *gradWeight, aclTensor *gradBias)
#endif
