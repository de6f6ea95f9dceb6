/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * IndexPutImpl: writes values to the places of a tensor that indices name, or adds them to what is there.
 *
 *     self[indices] = values, or self[indices] += values with accumulate
 *
 * - Entry k of indices is for the next dim of selfRef; dims behind the last entry are whole. An entry without
 *   elements, whatever its dtype, stands for a whole dim. Indices broadcast together; from -n to n - 1 is
 *   legal for a dim of size n, a negative one counts from its end.
 * - A BOOL entry of rank k is a mask over the next k dims: it stands for the positions where it is true, in
 *   row-major order, as k indices would.
 * - The indexed dims become those of the indices, in place where they are adjacent and in front otherwise;
 *   values broadcast to that shape.
 * - Of several values for one place the last in row-major order of the indices wins. With accumulate they are
 *   added in that order to what is there: floats in doubles that are rounded once at the end, integers wrap,
 *   BOOL is true where one is. The same bits with any number of threads.
 * - Without any entry that has elements nothing is written.
 *
 * Source: the operator's published contract; docs/compatibility.md says what differs elsewhere.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INDEX_PUT_IMPL_H
#define BELAY_ACLNNOP_ACLNN_INDEX_PUT_IMPL_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1: checks the arguments and prepares the work. Needs no device; any thread.
 * - selfRef: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), DOUBLE, INT8 to INT64, UINT8 or BOOL, of at most 8
 *   dims; written
 * - indices: INT32, INT64 or BOOL, at most as many as selfRef has dims
 * - values: selfRef's dtype
 * - accumulate: whether values are added
 * - unsafe: not looked at; indices are always checked
 * - workspaceSize: gets the bytes that phase 2 needs, 0 nearly always (BELAY_WORKSPACE raises it)
 * - executor: gets what phase 2 or aclDestroyAclOpExecutor takes
 *
 * Any strides (0 for inputs too) and offsets. selfRef may overlap inputs: they are read as if copied first.
 * On failure the results are left alone:
 * - 161001: workspaceSize or executor is NULL; then selfRef, indices, one of them or values is NULL
 * - 161002, in this order: a handle that is not live; a view that cannot be (negative dims, strides or
 *   offset, more than 2^63 - 1 elements); dtypes; ranks over 8; too many indices; masks whose
 *   sizes are not selfRef's; indices that do not broadcast together, or values to them; a selfRef that
 *   overlaps itself
 * - 361001: an environment variable is not understood, or the process was forked after first use
 * - 561101: memory for the executor ran out
 */
aclnnStatus aclnnIndexPutImplGetWorkspaceSize(aclTensor *selfRef, const aclTensorList *indices,
                                              const aclTensor *values, bool accumulate, bool unsafe,
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
 *
 * An index that is out of range is found when the work runs: nothing is written then, and the next
 * synchronise of the stream answers 507035 with the tensor, the position and the value.
 */
aclnnStatus aclnnIndexPutImpl(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                              aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
