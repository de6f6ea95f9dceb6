/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Average pooling: the mean of each window of two axes.
 * self and out: FLOAT, FLOAT16 or BFLOAT16, the same; self has shape (N, C, H, W) or (C, H, W).
 * kernelSize, strides and paddings have a number for each axis or one for all; a strides that is NULL or
 * empty is kernelSize, and paddings at most half of it. ceilMode: windows that are not whole count where they
 * begin on self or the padding before it. Each sum of a window's elements is divided by divisorOverride if
 * that is not 0, otherwise by the number of its places: with countIncludePad those on the padding too. Sums
 * run in row-major order in DOUBLE and are rounded once. cubeMathType: 0 to 4, which all compute the same.
 */
#ifndef BELAY_ACLNNOP_ACLNN_AVGPOOL2D_H
#define BELAY_ACLNNOP_ACLNN_AVGPOOL2D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAvgPool2d, const aclTensor *self, const aclIntArray *kernelSize,
               const aclIntArray *strides, const aclIntArray *paddings, bool ceilMode, bool countIncludePad,
               int64_t divisorOverride, int8_t cubeMathType, aclTensor *out)
#endif
