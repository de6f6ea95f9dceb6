/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of the elements up to each along a dim, added one after the other: floats in doubles, each sum
 * rounded once; integers wrap.
 * Cumsum: self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8, BOOL, COMPLEX64 or COMPLEX128, cast
 * to dtype before it is added, which is one of these but BOOL; dim: from -rank to rank - 1; out: dtype,
 * self's shape.
 * CumsumV2: self has out's dtype; exclusive: without the element itself, so that the first sum is 0;
 * reverse: from the last element to the first one.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CUMSUM_H
#define BELAY_ACLNNOP_ACLNN_CUMSUM_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnCumsum, const aclTensor *self, int64_t dim, aclDataType dtype, aclTensor *out)
ACLNN_FUNCTION(aclnnCumsumV2, const aclTensor *self, int64_t dim, bool exclusive, bool reverse,
               aclTensor *out)

#endif
