/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Max pooling: the greatest element of each window of three axes, and where in self it lies.
 * self: FLOAT, FLOAT16 or BFLOAT16, of shape (N, C, D, H, W) or (C, D, H, W); out: self's dtype; indices:
 * INT32 or INT64, the place (d H + h) W + w. Windows, ties and NaN as MaxPool2dWithIndices has them. A window
 * with a dilation that has no place in self is -infinity, its place -1, and no gradient goes there.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MAX_POOL3D_WITH_ARGMAX_H
#define BELAY_ACLNNOP_ACLNN_MAX_POOL3D_WITH_ARGMAX_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMaxPool3dWithArgmax, const aclTensor *self, const aclIntArray *kernelSize,
               const aclIntArray *stride, const aclIntArray *padding, const aclIntArray *dilation,
               bool ceilMode, aclTensor *out, aclTensor *indices)
#endif
