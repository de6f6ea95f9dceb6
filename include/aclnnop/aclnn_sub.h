/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Differences of a tensor and another tensor or a scalar, into another tensor and in place.
 *
 *     out = self - alpha * other
 *
 * The result is that of exact arithmetic, rounded once to nearest, ties to even, in the dtype that self and
 * other promote to, and then cast to the dtype of out if that differs. Elements of another dtype are cast to
 * the one that is computed in first. Integers wrap; BOOL is true where self and (alpha and other) differ; of
 * complex numbers alpha * other has the parts ac - bd and ad + bc, each part of the difference is rounded
 * once, and other is taken as it is where alpha is 1. Scalars are rounded to FLOAT beside FLOAT, FLOAT16,
 * BFLOAT16 and COMPLEX64, and to DOUBLE beside DOUBLE and COMPLEX128. Beside FLOAT16 and BFLOAT16 the scalar
 * other is rounded to these on Ascend910A and Ascend910B. NaN results are the canonical quiet NaN. Source:
 * the operator's published formula; docs/compatibility.md says what differs elsewhere.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SUB_H
#define BELAY_ACLNNOP_ACLNN_SUB_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1 of self - alpha * other: checks the arguments and prepares the work. Needs no device; any thread.
 * - self, other: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), DOUBLE, INT8 to INT64, UINT8, BOOL, COMPLEX64
 *   or COMPLEX128, rank 0 to 8; they broadcast, and promote where their dtypes differ
 * - alpha: a dtype that can be cast to the promoted one, never complex to real or float to integer; where
 *   that is BOOL, an integer or BOOL
 * - out: the shape that self and other broadcast to, in a dtype that the promoted one can be cast to, never
 *   complex to real or float to integer
 * - workspaceSize: gets the bytes that phase 2 needs, 0 nearly always (BELAY_WORKSPACE raises it)
 * - executor: gets what phase 2 or aclDestroyAclOpExecutor takes
 *
 * Any strides (0 for inputs too) and offsets will do. The output may be one of the inputs or overlap them:
 * inputs are read as if copied first. With an empty tensor, phase 2 does nothing. On failure the results are
 * left alone:
 * - 161001: workspaceSize or executor is NULL; then self, other, alpha or out is NULL
 * - 161002, in this order: a handle that is not live; a view that cannot be (negative dims, strides or
 *   offset, more than 2^63 - 1 elements); dtypes of self, other, alpha and out; rank over 8; shapes; an
 *   output that overlaps itself
 * - 361001: an environment variable is not understood, or the process was forked after first use
 * - 561101: memory for the executor ran out
 */
aclnnStatus aclnnSubGetWorkspaceSize(const aclTensor *self, const aclTensor *other, const aclScalar *alpha,
                                     aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

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
aclnnStatus aclnnSub(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

/*
 * Phase 1 of the operator whose other is one number for all elements: as aclnnSubGetWorkspaceSize, but out
 * has the shape of self, and the dtype that is computed in is
 * - of a FLOAT, FLOAT16, BFLOAT16 or DOUBLE self its own beside a real number; on Ascend950 FLOAT where self
 *   is FLOAT16 or BFLOAT16, which other or alpha are not exactly, though the results are rounded once if out
 *   has the dtype of self
 * - of an integer self its own beside an integer or BOOL; of integers and BOOL FLOAT beside DOUBLE where out
 *   is FLOAT
 * - otherwise the one that both promote to; on Ascend950 FLOAT for an integer or BOOL beside a float, self's
 *   for a complex self, and beside a complex number COMPLEX128 for DOUBLE and COMPLEX64 for all others
 * - other: a scalar of any of the dtypes of tensors, and UINT16, UINT32 or UINT64 beside an integer or float,
 *   on Ascend950 beside a complex number too
 */
aclnnStatus aclnnSubsGetWorkspaceSize(const aclTensor *self, const aclScalar *other, const aclScalar *alpha,
                                      aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2 of it: as aclnnSub. */
aclnnStatus aclnnSubs(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

/*
 * Phase 1 of the operator that writes its results to selfRef: as
 * aclnnSubGetWorkspaceSize with selfRef for self and out, to whose shape other broadcasts.
 */
aclnnStatus aclnnInplaceSubGetWorkspaceSize(aclTensor *selfRef, const aclTensor *other,
                                            const aclScalar *alpha, uint64_t *workspaceSize,
                                            aclOpExecutor **executor);

/* Phase 2 of it: as aclnnSub. */
aclnnStatus aclnnInplaceSub(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                            aclrtStream stream);

/* Phase 1 in place with one number: as aclnnSubsGetWorkspaceSize with selfRef for self and out. */
aclnnStatus aclnnInplaceSubsGetWorkspaceSize(aclTensor *selfRef, const aclScalar *other,
                                             const aclScalar *alpha, uint64_t *workspaceSize,
                                             aclOpExecutor **executor);

/* Phase 2 of it: as aclnnSub. */
aclnnStatus aclnnInplaceSubs(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                             aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
