/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A convolution whose places are moved by offsets, with a mask for each: deformOut has the samples of x at y * stride
 * - padding + k * dilation + offset, between the four elements around each and zeros outside, times the mask, and
 * out is its convolution with weight in steps of the kernel's size, plus bias. x: FLOAT, FLOAT16 or BFLOAT16 (N, C, H,
 * W); all tensors have its dtype. weight: (Cout, C / groups, kh, kw); offset: (N, 3 * deformableGroups * kh * kw, oh,
 * ow), all offsets along W, then all along H, then all masks; without the masks, where modulated is false, 2 times as
 * many; biasOptional: (Cout), or NULL; kernelSize: kh, kw; stride, dilation: four numbers of 1 or more, the last two
 * of which count; padding: above, below, left, right; out: (N, Cout, oh, ow); deformOutOptional: (N, C, oh * kh, ow *
 * kw), or NULL. In DOUBLE, samples rounded to the dtype first.
 * - 161001: a tensor or an array but biasOptional or deformOutOptional is NULL; 161002: dtypes, shapes, attributes
 */
#ifndef BELAY_ACLNNOP_ACLNN_DEFORMABLE_CONV2D_H
#define BELAY_ACLNNOP_ACLNN_DEFORMABLE_CONV2D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDeformableConv2d, const aclTensor *x, const aclTensor *weight, const aclTensor *offset,
               const aclTensor *biasOptional, const aclIntArray *kernelSize, const aclIntArray *stride,
               const aclIntArray *padding, const aclIntArray *dilation, int64_t groups,
               int64_t deformableGroups, bool modulated, aclTensor *out, aclTensor *deformOutOptional)
#endif
