/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The place of the least element along a dim: of equal elements, NaNs among them, the first one. NaN is
 * before every number, -0 equals +0.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8, on Ascend950 UINT16; dim: from -rank to rank
 * - 1, with 1 element or more unless nothing comes out; out: INT32 or INT64, self's shape without dim, or
 * with 1 there if keepdim.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ARGMIN_H
#define BELAY_ACLNNOP_ACLNN_ARGMIN_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnArgMin, const aclTensor *self, int64_t dim, bool keepdim, aclTensor *out)

#endif
