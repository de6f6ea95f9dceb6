/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnDeformableConv2d: of x, weight, offset (with the masks in it) and bias. input is x, deformOut
 * its deformOut, gradOutput (N, Cout, oh, ow) the gradient of out; attributes are those of aclnnDeformableConv2d, all
 * tensors have one dtype of FLOAT, FLOAT16 and BFLOAT16, and the gradients the shapes of what they are of. Between
 * elements the slope of an offset is that behind the place; samples outside give none. Sums are in DOUBLE, images,
 * places and channels in their order.
 * - 161001: a tensor or an array is NULL; 161002: dtypes, shapes, attributes
 */
#ifndef BELAY_ACLNNOP_ACLNN_DEFORMABLE_CONV2D_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_DEFORMABLE_CONV2D_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDeformableConv2dBackward, const aclTensor *input, const aclTensor *gradOutput,
               const aclTensor *deformOut, const aclTensor *weight, const aclTensor *offset,
               const aclIntArray *kernelSize, const aclIntArray *stride, const aclIntArray *padding,
               const aclIntArray *dilation, int64_t groups, int64_t deformableGroups, bool modulated,
               aclTensor *gradInput, aclTensor *gradWeight, aclTensor *gradOffset, aclTensor *gradBias)
#endif
