/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The convolution of tensors with a weight: along one to three axes, in groups of channels, plain or
 * transposed.
 *
 *     output[n, co, o] = bias[co] + sum over ci, k of weight[co, ci, k] input[n, ci, o stride - padding + k
 *                        dilation]
 *
 * with zeros where input ends, ci running over the channels of co's group. Transposed, input and output
 * change places: input[n, ci, i] adds weight[ci, co, k] input[n, ci, i] to output[n, co, i stride - padding +
 * k dilation].
 *
 * Sums run in FLOAT over the channels and, within each, the kernel, in blocks of 256 terms of fused
 * multiply-adds, the bias comes last, and the result is rounded once; in DOUBLE with BELAY_ACCURACY=exact.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CONVOLUTION_H
#define BELAY_ACLNNOP_ACLNN_CONVOLUTION_H
#include "aclnnop/function.h"
/*
 * Convolution along any of its axes.
 * input, weight, bias and output: FLOAT, FLOAT16 or BFLOAT16, also different ones. input has shape (N, Cin,
 * L), (N, Cin, H, W) or (N, Cin, D, H, W), weight (Cout, Cin / groups, kernel...), transposed (Cin, Cout /
 * groups, kernel...), bias Cout elements or NULL, output (N, Cout, sizes...). Of stride, padding, dilation
 * and outputPadding each has a number for each axis or one for all; padding may have two for each axis,
 * before and behind it. outputPadding may be NULL, and counts only where transposed: less than stride or
 * dilation. sizes: (in + padding - dilation (kernel - 1) - 1) / stride + 1, transposed (in - 1) stride -
 * padding + dilation (kernel - 1) + outputPadding + 1, with the padding of both ends. cubeMathType: 0 to 4,
 * which all compute the same.
 */
ACLNN_FUNCTION(aclnnConvolution, const aclTensor *input, const aclTensor *weight, const aclTensor *bias,
               const aclIntArray *stride, const aclIntArray *padding, const aclIntArray *dilation,
               bool transposed, const aclIntArray *outputPadding, int64_t groups, aclTensor *output,
               int8_t cubeMathType)
/*
 * Convolution of each channel by weights of its own, along two axes.
 * As Convolution with as many groups as self has channels: self has shape (N, Cin, H, W), weight (Cin times a
 * number, 1, kH, kW). kernelSize: kH and kW.
 */
ACLNN_FUNCTION(aclnnConvDepthwise2d, const aclTensor *self, const aclTensor *weight,
               const aclIntArray *kernelSize, const aclTensor *bias, const aclIntArray *stride,
               const aclIntArray *padding, const aclIntArray *dilation, aclTensor *out, int8_t cubeMathType)
/*
 * Convolution along time, which comes first.
 * As Convolution with stride and dilation 1 and pad zeros at both ends: self has shape (T, B, Cin), weight
 * (K, Cin, Cout), bias Cout elements, output (T + 2 pad - K + 1, B, Cout).
 */
ACLNN_FUNCTION(aclnnConvTbc, const aclTensor *self, const aclTensor *weight, const aclTensor *bias,
               int64_t pad, aclTensor *output, int8_t cubeMathType)
#endif
