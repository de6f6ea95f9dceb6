/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A copy of a tensor, or the tensor itself, whose slices along a dim that index names are set to a value.
 * self, selfRef: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL; dim: from -rank to rank -
 * 1; index: INT32 or INT64, rank 0 or 1; from -n to n - 1 for a dim of size n, another one is left out;
 * value: real, converted to self's dtype; out: self's dtype and shape.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INDEX_FILL_H
#define BELAY_ACLNNOP_ACLNN_INDEX_FILL_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnIndexFill, const aclTensor *self, int64_t dim, const aclTensor *index,
               const aclScalar *value, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceIndexFill, aclTensor *selfRef, int64_t dim, const aclTensor *index,
               const aclScalar *value)

#endif
