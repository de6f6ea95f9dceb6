/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of MaxPool2dWithMask and MaxPool2dWithIndices: for each element of self the sum of gradOutput
 * over the windows whose maximum it was, in FLOAT in the row-major order of the windows, and rounded once.
 * gradOutput, self and gradInput: FLOAT, FLOAT16 or BFLOAT16, the same; gradOutput has the shape of out,
 * gradInput that of self, of which nothing else is looked at. The arrays and ceilMode are those of the
 * pooling. indices are what it gave: INT8 or UINT8 bits, of which each that is set counts where it names a
 * place of self; or INT32 or INT64, of which one that names no place of its plane makes the task fail (507035
 * at the next synchronise).
 */
#ifndef BELAY_ACLNNOP_ACLNN_MAX_POOL2D_WITH_INDICES_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_MAX_POOL2D_WITH_INDICES_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMaxPool2dWithMaskBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *indices, const aclIntArray *kernelSize, const aclIntArray *stride,
               const aclIntArray *padding, const aclIntArray *dilation, bool ceilMode, aclTensor *gradInput)
ACLNN_FUNCTION(aclnnMaxPool2dWithIndicesBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *indices, const aclIntArray *kernelSize, const aclIntArray *stride,
               const aclIntArray *padding, const aclIntArray *dilation, bool ceilMode, aclTensor *gradInput)
#endif
