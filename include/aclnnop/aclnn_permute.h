/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Permute: the dims of a tensor in another order.
 *
 *     out[i0, i1, ...] = self[...], where dim k of out is dim dims[k] of self
 *
 * Elements are copied bit by bit. Source: the operator's published contract; docs/compatibility.md says what
 * differs elsewhere.
 */
#ifndef BELAY_ACLNNOP_ACLNN_PERMUTE_H
#define BELAY_ACLNNOP_ACLNN_PERMUTE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1: checks the arguments and prepares the work. Needs no device; any thread.
 * - self: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), DOUBLE, INT8 to INT64, UINT8 to UINT64, BOOL,
 *   COMPLEX64 or COMPLEX128 (not on Ascend910A), of at most 8 dims
 * - dims: every dim of self once; negative ones count from behind. Empty for a self of rank 0
 * - out: self's dtype; its shape is that of self in the order of dims
 * - workspaceSize: gets the bytes that phase 2 needs, 0 nearly always (BELAY_WORKSPACE raises it)
 * - executor: gets what phase 2 or aclDestroyAclOpExecutor takes
 *
 * Any strides (0 for self too) and offsets. The output may be self or overlap it: self is read as if copied
 * first. With an empty tensor, phase 2 does nothing.
 * On failure the results are left alone:
 * - 161001: workspaceSize or executor is NULL; then self, dims or out is NULL
 * - 161002, in this order: a handle that is not live; a view that cannot be (negative dims, strides or
 *   offset, more than 2^63 - 1 elements); the dtype of self; its rank; dims; dtype and shape
 *   of out; an output that overlaps itself
 * - 361001: an environment variable is not understood, or the process was forked after first use
 * - 561101: memory for the executor ran out
 */
aclnnStatus aclnnPermuteGetWorkspaceSize(const aclTensor *self, const aclIntArray *dims, aclTensor *out,
                                         uint64_t *workspaceSize, aclOpExecutor **executor);

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
 */
aclnnStatus aclnnPermute(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                         aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
