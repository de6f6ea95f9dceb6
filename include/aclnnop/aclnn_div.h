/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Quotients of a tensor and another tensor or a scalar, into another tensor and in place.
 *
 *     out = self / other
 *
 * The result is that of exact arithmetic, rounded once to nearest, ties to even, in the dtype that self and
 * other promote to, in FLOAT where that is an integer or BOOL, and then cast to the dtype of out if that
 * differs. x / 0 is an infinity, 0 / 0 NaN. A float or complex dtype that is computed in takes elements of
 * another dtype cast to it. Complex quotients have the parts (ac + bd) / m and (bc - ad) / m, m being
 * c * c + d * d, each within 1 ulp (4 of COMPLEX128), and NaN where m is 0. Scalars are rounded to FLOAT
 * beside FLOAT, FLOAT16, BFLOAT16 and COMPLEX64, and to DOUBLE beside DOUBLE and COMPLEX128. NaN results are
 * the canonical quiet NaN. Source: the operator's published formula; docs/compatibility.md says what differs
 * elsewhere.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DIV_H
#define BELAY_ACLNNOP_ACLNN_DIV_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1 of self / other: checks the arguments and prepares the work. Needs no device; any thread.
 * - self, other: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), DOUBLE, INT8 to INT64, UINT8, BOOL, COMPLEX64
 *   or COMPLEX128, rank 0 to 8; they broadcast, and promote where their dtypes differ
 * - out: the shape that self and other broadcast to, in a dtype that the promoted one can be cast to, never
 *   complex to real or float to integer; an integer takes the quotient of integers without its fraction, but
 *   on Ascend950 they count as FLOAT
 * - workspaceSize: gets the bytes that phase 2 needs, 0 nearly always (BELAY_WORKSPACE raises it)
 * - executor: gets what phase 2 or aclDestroyAclOpExecutor takes
 *
 * Any strides (0 for inputs too) and offsets will do. The output may be one of the inputs or overlap them:
 * inputs are read as if copied first. With an empty tensor, phase 2 does nothing. On failure the results are
 * left alone:
 * - 161001: workspaceSize or executor is NULL; then self, other or out is NULL
 * - 161002, in this order: a handle that is not live; a view that cannot be (negative dims, strides or
 *   offset, more than 2^63 - 1 elements); dtypes of other, self and out; rank over 8; shapes; an
 *   output that overlaps itself
 * - 361001: an environment variable is not understood, or the process was forked after first use
 * - 561101: memory for the executor ran out
 */
aclnnStatus aclnnDivGetWorkspaceSize(const aclTensor *self, const aclTensor *other, aclTensor *out,
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
aclnnStatus aclnnDiv(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

/*
 * Phase 1 of the operator whose other is one number for all elements: as aclnnDivGetWorkspaceSize, but out
 * has the shape of self and a dtype that self's can be cast to, on Ascend950 one that the dtype of the
 * computation can be cast to. That dtype is
 * - self's for floats and complex numbers beside a real number, FLOAT for integers and BOOL, and what both
 *   promote to beside a complex other
 * - on Ascend950 self's for a complex self, beside a complex number COMPLEX128 for DOUBLE and COMPLEX64 for
 *   all others, and FLOAT for a FLOAT16 or BFLOAT16 self of which other is no number, rounded once all the
 *   same if out has the dtype of self
 * - other: a scalar of any of the dtypes of tensors
 */
aclnnStatus aclnnDivsGetWorkspaceSize(const aclTensor *self, const aclScalar *other, aclTensor *out,
                                      uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2 of it: as aclnnDiv. */
aclnnStatus aclnnDivs(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

/*
 * Phase 1 of the operator that writes its results to selfRef: as
 * aclnnDivGetWorkspaceSize with selfRef for self and out, to whose shape other broadcasts.
 */
aclnnStatus aclnnInplaceDivGetWorkspaceSize(aclTensor *selfRef, const aclTensor *other,
                                            uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2 of it: as aclnnDiv. */
aclnnStatus aclnnInplaceDiv(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                            aclrtStream stream);

/* Phase 1 in place with one number: as aclnnDivsGetWorkspaceSize with selfRef for self and out. */
aclnnStatus aclnnInplaceDivsGetWorkspaceSize(aclTensor *selfRef, const aclScalar *other,
                                             uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2 of it: as aclnnDiv. */
aclnnStatus aclnnInplaceDivs(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                             aclrtStream stream);

/*
 * DivMod and its forms: with mode 0 as above; with 1 the exact quotient without its fraction, with 2 its
 * floor, rounded once, of real numbers alone (BOOL counts as FLOAT). Integers stay integers: by 0 they give
 * the largest or the smallest number of their dtype, and 0 of 0. Another mode: 161002.
 */
aclnnStatus aclnnDivModGetWorkspaceSize(const aclTensor *self, const aclTensor *other, int mode,
                                        aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnDivMod(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);
aclnnStatus aclnnDivModsGetWorkspaceSize(const aclTensor *self, const aclScalar *other, int mode,
                                         aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnDivMods(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                         aclrtStream stream);
aclnnStatus aclnnInplaceDivModGetWorkspaceSize(aclTensor *selfRef, const aclTensor *other, int mode,
                                               uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnInplaceDivMod(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);
aclnnStatus aclnnInplaceDivModsGetWorkspaceSize(aclTensor *selfRef, const aclScalar *other, int mode,
                                                uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnInplaceDivMods(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
