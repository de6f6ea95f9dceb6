/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of MaxPool3dWithArgmax, as MaxPool2dWithIndicesBackward is that of MaxPool2dWithIndices.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MAX_POOL3D_WITH_ARGMAX_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_MAX_POOL3D_WITH_ARGMAX_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMaxPool3dWithArgmaxBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *indices, const aclIntArray *kernelSize, const aclIntArray *stride,
               const aclIntArray *padding, const aclIntArray *dilation, bool ceilMode, aclTensor *gradInput)
#endif
