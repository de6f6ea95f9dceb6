/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest of the elements up to each along a dim, and its place: of equal elements the latest one. A
 * NaN stays for the rest, each later one with its own place; -0 equals +0. Bits are copied.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL; dim: from -rank to rank - 1;
 * valuesOut: self's dtype and shape; indicesOut: INT32 or INT64, self's shape.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CUMMAX_H
#define BELAY_ACLNNOP_ACLNN_CUMMAX_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnCummax, const aclTensor *self, int64_t dim, aclTensor *valuesOut, aclTensor *indicesOut)

#endif
