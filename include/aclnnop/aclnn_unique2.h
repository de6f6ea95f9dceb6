/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The values of a tensor, each once, in ascending order whatever sorted says. NaN equals nothing: every NaN
 * comes out, in order of appearance behind the numbers; of -0 and +0, which are equal, the bits of the one
 * that comes first. How many come out is known when the work has run: valueOut and countsOut then has that
 * shape (aclGetViewShape), packed from its first element, or along its strides where it is not contiguous.
 * What lies behind stays.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 to UINT64 or BOOL, fewer than 2^32 elements;
 * valueOut: self's dtype, rank 1 with as many elements as self; inverseOut: INT64, with returnInverse or
 * returnCounts of self's shape, and gets the place in valueOut of each element; countsOut: INT64, with
 * returnCounts of valueOut's shape, and gets how often each value is there.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UNIQUE2_H
#define BELAY_ACLNNOP_ACLNN_UNIQUE2_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnUnique2, const aclTensor *self, bool sorted, bool returnInverse, bool returnCounts,
               aclTensor *valueOut, aclTensor *inverseOut, aclTensor *countsOut)

#endif
