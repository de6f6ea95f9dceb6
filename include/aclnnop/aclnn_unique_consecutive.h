/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The first of each run of equal elements, or of equal slices along a dim. NaN equals nothing, -0 equals +0.
 * How many come out is known when the work has run: valueOut and countsOut then has that shape
 * (aclGetViewShape), packed from its first element, or along its strides where it is not contiguous. What
 * lies behind stays.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 to UINT64, BOOL, COMPLEX64 or COMPLEX128;
 * dim: from -rank to rank - 1, or 1000 for self as if flattened; valueOut: self's dtype, and shape with a
 * dim, else rank 1 with as many elements; inverseOut and countsOut: INT32 or INT64, the same; inverseOut,
 * with returnInverse: as long as the dim, or of self's shape, and gets the run of each slice or element;
 * countsOut, with returnCounts: as long as the dim, or as self has elements, and gets the lengths of the
 * runs.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UNIQUE_CONSECUTIVE_H
#define BELAY_ACLNNOP_ACLNN_UNIQUE_CONSECUTIVE_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnUniqueConsecutive, const aclTensor *self, bool returnInverse, bool returnCounts,
               int64_t dim, aclTensor *valueOut, aclTensor *inverseOut, aclTensor *countsOut)

#endif
