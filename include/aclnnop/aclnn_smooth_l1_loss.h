/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The smooth L1 loss.
 *
 *     d = self - target
 *     l = d^2 / (2 beta)     |d| < beta
 *     l = |d| - beta / 2     otherwise
 *     result = l, the mean of all l, or their sum
 *
 * Element by element the result is that of exact arithmetic, rounded once to nearest, ties to even, in the
 * dtype that self and target promote to, and once more to the dtype of result if that differs. Sums and means
 * are added up in DOUBLE, in an order that the number of elements alone fixes, and rounded in the same way:
 * they do not depend on threads, processor or layout. beta = 0 gives |d|, beta = infinity 0 for finite d. The
 * sum of nothing is 0, the mean of nothing NaN. NaN results are the canonical quiet NaN. Source: the
 * operator's published formula; docs/compatibility.md says what differs elsewhere.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SMOOTH_L1_LOSS_H
#define BELAY_ACLNNOP_ACLNN_SMOOTH_L1_LOSS_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1: checks the arguments and prepares the work. Needs no device; any thread.
 * - self: FLOAT, FLOAT16 or BFLOAT16 (not on Ascend910A), rank 0 to 8
 * - target: likewise; the dtypes may differ and promote, the shapes may differ and broadcast
 * - reduction: 0 (none), 1 (mean) or 2 (sum)
 * - beta: 0 or more; infinity will do
 * - result: the shape that self and target broadcast to, with mean or sum one element of any rank; FLOAT,
 * FLOAT16, BFLOAT16, DOUBLE, or COMPLEX64 or COMPLEX128 with imaginary part 0
 * - workspaceSize: gets the bytes that phase 2 needs, 0 nearly always (BELAY_WORKSPACE raises it)
 * - executor: gets what phase 2 or aclDestroyAclOpExecutor takes
 *
 * Any strides (0 for inputs too) and offsets will do. The output may be an input or overlap it: inputs are
 * read as if copied first. With an empty result, phase 2 does nothing. On failure the results are left alone:
 * - 161001: workspaceSize or executor is NULL; then self, target or result is NULL
 * - 161002, in this order: a handle that is not live; a view that cannot be (negative dims, strides or
 *   offset, more than 2^63 - 1 elements); dtypes, a dtype of result that floats are not cast to last;
 * reduction; rank over 8; shapes; beta; an output that overlaps itself
 * - 361001: an environment variable is not understood, or the process was forked after first use
 * - 561101: memory for the executor ran out
 */
aclnnStatus aclnnSmoothL1LossGetWorkspaceSize(const aclTensor *self, const aclTensor *target,
                                              int64_t reduction, float beta, aclTensor *result,
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
aclnnStatus aclnnSmoothL1Loss(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                              aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
