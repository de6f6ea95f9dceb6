/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The k greatest or smallest elements along a dim, with the places that they come from.
 *
 *     valuesOut, indicesOut = the first k along dim of what aclnnSort of self gives, descending if largest
 *
 * How elements compare: NaN is greater than every number, +infinity included, and equal to other NaNs; -0
 * equals +0; of BOOL, whatever is not 0 is true. Equal elements keep the order that they have in self, also
 * where the order is a descending one, so that the result is one alone and every processor, layout and number
 * of threads gives it. Values are self's own bits, NaNs included.
 */
#ifndef BELAY_ACLNNOP_ACLNN_TOPK_H
#define BELAY_ACLNNOP_ACLNN_TOPK_H

#include "aclnnop/function.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1. Any strides (0 for self too) and offsets will do. An output may be self or overlap it,
 * which is read as if copied first; outputs that share memory get either's elements there. With an empty
 * tensor, phase 2 does nothing. On failure the results are left alone.
 * - self: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), DOUBLE, INT8 to INT64, UINT8, on Ascend950 also
 * UINT16 to UINT64, rank 0 to 8
 * - k: 0 to the elements along dim; with 0, phase 2 does nothing
 * - dim: from -rank to rank - 1, rank 0 counting as 1
 * - largest: the greatest elements, NaN before them, instead of the smallest
 * - sorted: either value gives them in order
 * - valuesOut: self's dtype; self's shape with k along dim, of rank 0 () or {1}
 * - indicesOut: INT64, the same shape
 * - workspaceSize: gets the bytes that phase 2 needs, 0 nearly always (BELAY_WORKSPACE raises it)
 * - executor: gets what phase 2 or aclDestroyAclOpExecutor takes
 * - 161001: workspaceSize or executor is NULL; then self, valuesOut or indicesOut
 * - 161002, in this order: a handle that is not live; a view that cannot be; the dtype of self; its rank;
 * dim, or 2^32 elements or more along it; k; the dtypes and shapes of the outputs; an output that overlaps
 * itself
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnTopkGetWorkspaceSize(const aclTensor *self, int64_t k, int64_t dim, bool largest,
                                      bool sorted, aclTensor *valuesOut, aclTensor *indicesOut,
                                      uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnTopk(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/* The same; sortPolicy: 0 or 1, which elsewhere chooses the order of equal elements. */
ACLNN_FUNCTION(aclnnTopkV2, const aclTensor *self, int64_t k, int64_t dim, bool largest, bool sorted,
               int64_t sortPolicy, aclTensor *valuesOut, aclTensor *indicesOut)

#endif
