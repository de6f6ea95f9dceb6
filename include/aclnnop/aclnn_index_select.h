/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * IndexSelect: the slices of a tensor along one dim that an index names, in its order.
 *
 *     out[..., i, ...] = self[..., index[i], ...]
 *
 * An index from -n to n - 1 is legal for a dim of size n, a negative one counts from its end. Elements are
 * copied bit by bit. Source: the operator's published contract; docs/compatibility.md says what differs
 * elsewhere.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INDEX_SELECT_H
#define BELAY_ACLNNOP_ACLNN_INDEX_SELECT_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1: checks the arguments and prepares the work. Needs no device; any thread.
 * - self: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), DOUBLE, INT8 to INT64, UINT8 to UINT64, BOOL,
 *   COMPLEX64 or COMPLEX128, of at most 8 dims
 * - dim: the one that is indexed; negative ones count from behind
 * - index: INT32 or INT64 (any dtype where it has no elements), rank 0 or 1; one element for a self of rank 0
 * - out: self's dtype, and its shape with the number of indices along dim
 * - workspaceSize: gets the bytes that phase 2 needs, 0 nearly always (BELAY_WORKSPACE raises it)
 * - executor: gets what phase 2 or aclDestroyAclOpExecutor takes
 *
 * Any strides (0 for inputs too) and offsets. The output may overlap inputs: they are read as if copied
 * first. With an empty output, phase 2 does nothing.
 * On failure the results are left alone:
 * - 161001: workspaceSize or executor is NULL; then self, index or out is NULL
 * - 161002, in this order: a handle that is not live; a view that cannot be (negative dims, strides or
 *   offset, more than 2^63 - 1 elements); the dtypes of self and index; their ranks; dim; an index with
 *   elements into a dim of size 0; dtype and shape of out; an output that overlaps itself
 * - 361001: an environment variable is not understood, or the process was forked after first use
 * - 561101: memory for the executor ran out
 */
aclnnStatus aclnnIndexSelectGetWorkspaceSize(const aclTensor *self, int64_t dim, const aclTensor *index,
                                             aclTensor *out, uint64_t *workspaceSize,
                                             aclOpExecutor **executor);

/*
 * Phase 2: queues the work on stream, NULL being the default stream of the current context, and consumes the
 * executor whatever it returns, unless that is repeatable. Tensors may be destroyed as soon as it has
 * returned; device memory must stay until the stream has been synchronised. Any thread. On failure nothing is
 * executed:
 * - 161001: executor is NULL, or workspace is NULL with workspaceSize > 0 (ends a repeatable executor too)
 * - 161002: an executor that has run, was destroyed, is running on another thread, is foreign or another
 *   operator's; less workspace than phase 1 asked for, or one that is not device memory of that size or
 *   overlaps a tensor; an address that is NULL, not aligned to its dtype, or outside live memory of the
 *   stream's device (pinned host memory will do); a view that reaches outside its allocation
 * - 361001: the stream is stale or foreign, or NULL where the thread has no current context, or memory ran
 *   out
 *
 * An index that is out of range is found when the work runs: nothing is written then, and the next
 * synchronise of the stream answers 507035 with the tensor, the position and the value.
 */
aclnnStatus aclnnIndexSelect(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                             aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
