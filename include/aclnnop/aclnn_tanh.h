/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tanh, into another tensor and in place.
 *
 *     out = tanh(self)
 *
 * The result is that of exact arithmetic, rounded once to nearest, ties to even, in the dtype of self, or in
 * FLOAT where that is an integer or BOOL, and once more to the dtype of out if that differs. COMPLEX64 and
 * COMPLEX128 are within 2^-48 of the absolute value of the result, which may be cast to the dtype of out. NaN
 * results are the canonical quiet NaN. Source: the operator's published formula; docs/compatibility.md says
 * what differs elsewhere.
 */
#ifndef BELAY_ACLNNOP_ACLNN_TANH_H
#define BELAY_ACLNNOP_ACLNN_TANH_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1: checks the arguments and prepares the work. Needs no device; any thread.
 * - self: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), INT8 to INT64, UINT8 or BOOL, rank 0 to 8
 * - out: FLOAT, FLOAT16 or BFLOAT16 (not on Ascend910A) of the same shape
 * - workspaceSize: gets the bytes that phase 2 needs, 0 nearly always (BELAY_WORKSPACE raises it)
 * - executor: gets what phase 2 or aclDestroyAclOpExecutor takes
 *
 * Any strides (0 for the input too) and offsets will do. The output may be the input or overlap it: the
 * input is read as if copied first. With an empty tensor, phase 2 does nothing. On failure the results are
 * left alone:
 * - 161001: workspaceSize or executor is NULL; then self or out is NULL
 * - 161002, in this order: a handle that is not live; a view that cannot be (negative dims, strides or
 *   offset, more than 2^63 - 1 elements); dtypes; rank over 8; shapes; an output that overlaps itself
 * - 361001: an environment variable is not understood, or the process was forked after first use
 * - 561101: memory for the executor ran out
 */
aclnnStatus aclnnTanhGetWorkspaceSize(const aclTensor *self, aclTensor *out, uint64_t *workspaceSize,
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
 */
aclnnStatus aclnnTanh(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                      const aclrtStream stream);

/*
 * Phase 1 of the operator that writes its results to selfRef: as aclnnTanhGetWorkspaceSize with selfRef for
 * self and out, so that selfRef must not overlap itself, and no integers or BOOL.
 */
aclnnStatus aclnnInplaceTanhGetWorkspaceSize(aclTensor *selfRef, uint64_t *workspaceSize,
                                             aclOpExecutor **executor);

/* Phase 2 of it: as aclnnTanh. */
aclnnStatus aclnnInplaceTanh(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                             const aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
