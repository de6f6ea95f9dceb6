/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sort along a dim, with the places that the elements come from.
 *
 *     valuesOut = the elements of self in order along dim
 *     indicesOut = the place along dim that each has in self, from 0
 *
 * How elements compare: NaN is greater than every number, +infinity included, and equal to other NaNs; -0
 * equals +0; of BOOL, whatever is not 0 is true. Equal elements keep the order that they have in self, also
 * where the order is a descending one, so that the result is one alone and every processor, layout and number
 * of threads gives it. Values are self's own bits, NaNs included.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SORT_H
#define BELAY_ACLNNOP_ACLNN_SORT_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1. Any strides (0 for self too) and offsets will do. An output may be self or overlap it,
 * which is read as if copied first; outputs that share memory get either's elements there. With an empty
 * tensor, phase 2 does nothing. On failure the results are left alone.
 * - self: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), INT8 to INT64, UINT8, BOOL, on Ascend950 also UINT16
 *   to UINT64, rank 0 to 8
 * - stable: either value gives a stable sort
 * - dim: from -rank to rank - 1, rank 0 counting as 1
 * - descending: the greatest elements first, NaN before them
 * - valuesOut: self's shape; a dtype of self's list or, but for Ascend950, DOUBLE: values are converted to it
 * as by aclnnCast
 * - indicesOut: INT64, self's shape
 * - workspaceSize: gets the bytes that phase 2 needs, 0 nearly always (BELAY_WORKSPACE raises it)
 * - executor: gets what phase 2 or aclDestroyAclOpExecutor takes
 * - 161001: workspaceSize or executor is NULL; then self, valuesOut or indicesOut
 * - 161002, in this order: a handle that is not live; a view that cannot be; the dtype of self; its rank;
 * dim, or 2^32 elements or more along it; the dtypes and shapes of the outputs; an output that overlaps
 * itself
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnSortGetWorkspaceSize(const aclTensor *self, bool stable, int64_t dim, bool descending,
                                      aclTensor *valuesOut, aclTensor *indicesOut, uint64_t *workspaceSize,
                                      aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnSort(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
