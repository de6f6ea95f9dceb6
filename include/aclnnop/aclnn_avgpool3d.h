/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Average pooling: the mean of each window of three axes.
 * self and out: FLOAT, FLOAT16 or BFLOAT16, the same; self has shape (N, C, D, H, W) or (C, D, H, W).
 * kernelSize, stride and padding have a number for each axis or one for all; a stride that is NULL or empty
 * is kernelSize, and padding at most half of it. ceilMode: windows that are not whole count where they begin
 * on self or the padding before it. Each sum of a window's elements is divided by divisorOverride if that is
 * not 0, otherwise by the number of its places: with countIncludePad those on the padding too. Sums run in
 * row-major order in DOUBLE and are rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_AVGPOOL3D_H
#define BELAY_ACLNNOP_ACLNN_AVGPOOL3D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAvgPool3d, const aclTensor *self, const aclIntArray *kernelSize,
               const aclIntArray *stride, const aclIntArray *padding, bool ceilMode, bool countIncludePad,
               int64_t divisorOverride, aclTensor *out)
#endif
