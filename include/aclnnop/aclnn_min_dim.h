/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The least element along a dim, and its place: of equal elements, NaNs among them, the first one. NaN is
 * before every number, -0 equals +0. Bits are copied.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL; dim: from -rank to rank - 1, with 1
 * element or more unless nothing comes out; out: self's dtype, and its shape without dim, or with 1 there if
 * keepdim; indices: INT32 or INT64, the same shape.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MIN_DIM_H
#define BELAY_ACLNNOP_ACLNN_MIN_DIM_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnMinDim, const aclTensor *self, int64_t dim, bool keepdim, aclTensor *out,
               aclTensor *indices)

#endif
