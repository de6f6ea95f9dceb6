/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Adaptive average pooling: the mean of each of as many windows as asked for.
 * self and out: FLOAT, FLOAT16 or BFLOAT16, the same; self has shape (N, C, D, H, W) or (C, D, H, W).
 * outputSize: the number of windows along each axis, 0 too; window o of O along an axis of size S has the
 * elements from o S / O to (o + 1) S / O, rounded up. Sums run in row-major order in DOUBLE and are rounded
 * once. 161002 too: no elements along an axis with windows.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADAPTIVE_AVG_POOL3D_H
#define BELAY_ACLNNOP_ACLNN_ADAPTIVE_AVG_POOL3D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAdaptiveAvgPool3d, const aclTensor *self, const aclIntArray *outputSize, aclTensor *out)
#endif
