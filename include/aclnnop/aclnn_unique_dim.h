/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The slices of a tensor along a dim, each once, in ascending order whatever sorted says: the first elements
 * that differ decide, in row-major order of the other dims. NaN is greater than every number and equals
 * nothing, -0 equals +0; of equal slices the bits of the one that comes first. How many come out is known
 * when the work has run: valueOut and countsOut then have that shape (aclGetViewShape), packed from their
 * first elements, or along their strides where they are not contiguous. What lies behind stays.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 to UINT64 or BOOL, fewer than 2^32 elements;
 * dim: from -rank to rank - 1; valueOut: self's dtype and shape; inverseOut: INT64, with returnInverse as
 * long as the dim, and gets the place in valueOut of each slice; countsOut: INT64, as long as the dim, and
 * gets how often each slice is there.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UNIQUE_DIM_H
#define BELAY_ACLNNOP_ACLNN_UNIQUE_DIM_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnUniqueDim, const aclTensor *self, bool sorted, bool returnInverse, int64_t dim,
               aclTensor *valueOut, aclTensor *inverseOut, aclTensor *countsOut)

#endif
