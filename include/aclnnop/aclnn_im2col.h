/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The columns that a convolution multiplies: of each window of (N, C, H, W) or (C, H, W) its elements, by
 * channel, row and column, with 0 for what lies outside, as (N, C kH kW, L) or (C kH kW, L) for the L
 * windows in row-major order. self and out: FLOAT, FLOAT16, BFLOAT16, DOUBLE, integers, BOOL or complex, the
 * same. The arrays have one number for each axis, or one for both; paddings are not negative, the others
 * positive, and there is a window. Bits stay as they are.
 */
#ifndef BELAY_ACLNNOP_ACLNN_IM2COL_H
#define BELAY_ACLNNOP_ACLNN_IM2COL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnIm2col, const aclTensor *self, const aclIntArray *kernelSize, const aclIntArray *dilation,
               const aclIntArray *padding, const aclIntArray *stride, const aclTensor *out)
#endif
