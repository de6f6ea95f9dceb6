/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Adaptive max pooling: the greatest element of each of as many windows as asked for, and where in self it
 * lies. self: FLOAT, FLOAT16, BFLOAT16 or DOUBLE, of shape (N, C, H, W) or (C, H, W); outputOut: self's
 * dtype; indicesOut: INT32 or INT64, the place h W + w. outputSize: the number of windows along each axis, 0
 * too; window o of O along an axis of size S has the elements from o S / O to (o + 1) S / O, rounded up. The
 * first of equal elements is taken, and the last NaN before any number. 161002 too: no elements along an axis
 * with windows.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL2D_H
#define BELAY_ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL2D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAdaptiveMaxPool2d, const aclTensor *self, const aclIntArray *outputSize,
               aclTensor *outputOut, aclTensor *indicesOut)
#endif
