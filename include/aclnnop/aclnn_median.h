/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The median of all elements, or of those along a dim: of an even number the lower one of the two in the
 * middle. Equal elements have the order of their places; NaN is greater than every number, -0 equals +0.
 * Bits are copied.
 * Median, MedianDim: a NaN if there is one, the first. NanMedian, NanMedianDim: NaNs are left out, unless
 * there is nothing else.
 * self: FLOAT, FLOAT16, BFLOAT16, INT8 to INT64, UINT8; without elements Median and NanMedian give NaN, of
 * integers they refuse it; dim: from -rank to rank - 1, with 1 element or more unless nothing comes out;
 * valuesOut, out: self's dtype, one element, or self's shape without dim, or with 1 there if keepDim;
 * indicesOut: INT64, the same shape.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MEDIAN_H
#define BELAY_ACLNNOP_ACLNN_MEDIAN_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnMedian, const aclTensor *self, aclTensor *valuesOut)
ACLNN_FUNCTION(aclnnNanMedian, const aclTensor *self, aclTensor *out)
ACLNN_FUNCTION(aclnnMedianDim, const aclTensor *self, int64_t dim, bool keepDim, aclTensor *valuesOut,
               aclTensor *indicesOut)
ACLNN_FUNCTION(aclnnNanMedianDim, const aclTensor *self, int64_t dim, bool keepDim, aclTensor *valuesOut,
               aclTensor *indicesOut)

#endif
