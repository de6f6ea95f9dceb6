/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The least and the greatest of elements along a dim. NaN where one of them is; of zeros -0 is the least and
 * +0 the greatest.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL; dim: from -rank to rank - 1; with 1
 * element or more unless nothing comes out; minOut, maxOut: self's dtype, and its shape without the dim, or
 * with 1 there if keepDim.
 */
#ifndef BELAY_ACLNNOP_ACLNN_AMINMAX_DIM_H
#define BELAY_ACLNNOP_ACLNN_AMINMAX_DIM_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnAminmaxDim, const aclTensor *self, const int64_t dim, const bool keepDim,
               aclTensor *minOut, aclTensor *maxOut)

#endif
