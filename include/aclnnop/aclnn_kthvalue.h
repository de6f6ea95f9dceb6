/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The k-th smallest element along a dim, and its place: number k - 1 of a stable ascending sort. NaN is
 * greater than every number, -0 equals +0. Bits are copied.
 * self: FLOAT, FLOAT16, BFLOAT16, INT8 to INT64, UINT8, on Ascend950 UINT16 to UINT64; k: 1 to the elements
 * along dim; dim: from -rank to rank - 1; valuesOut: self's dtype, and its shape without dim, or with 1
 * there if keepdim; indicesOut: INT64, the same shape.
 */
#ifndef BELAY_ACLNNOP_ACLNN_KTHVALUE_H
#define BELAY_ACLNNOP_ACLNN_KTHVALUE_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnKthvalue, const aclTensor *self, int64_t k, int64_t dim, bool keepdim,
               aclTensor *valuesOut, aclTensor *indicesOut)

#endif
