/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Max pooling: the greatest element of each window of two axes, with its own bits; NaN counts before every
 * number. self and out: FLOAT, FLOAT16, BFLOAT16, INT8 to INT64 or UINT8, on Ascend950 UINT16 too, the same;
 * self has shape (N, C, H, W) or (C, H, W). kernelShape has a number for each axis or one for both; strides
 * too, or none, which is 1; pads none, one, {of height, of width} or {top, left, bottom, right}, of an axis
 * together at most the kernel; dilations none or 1, up to four times. autoPad is 0. ceilMode 1: windows that
 * are not whole count where they begin on self or the pad before it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MAX_POOL_H
#define BELAY_ACLNNOP_ACLNN_MAX_POOL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMaxPool, const aclTensor *self, const aclIntArray *kernelShape,
               const aclIntArray *strides, int64_t autoPad, const aclIntArray *pads,
               const aclIntArray *dilations, int64_t ceilMode, aclTensor *out)
#endif
