/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Adaptive max pooling: the greatest element of each of as many windows as asked for, and where in self it
 * lies. self: FLOAT, FLOAT16 or BFLOAT16, of shape (N, C, D, H, W) or (C, D, H, W); outputOut: self's dtype;
 * indicesOut: INT32 or INT64, the place (d H + h) W + w. outputSize: the number of windows along each axis, 0
 * too; window o of O along an axis of size S has the elements from o S / O to (o + 1) S / O, rounded up. The
 * first of equal elements is taken, and the last NaN before any number. 161002 too: no elements along an axis
 * with windows.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL3D_H
#define BELAY_ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL3D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAdaptiveMaxPool3d, const aclTensor *self, const aclIntArray *outputSize,
               aclTensor *outputOut, aclTensor *indicesOut)
#endif
