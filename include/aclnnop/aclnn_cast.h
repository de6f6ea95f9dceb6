/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements in another dtype.
 *
 * - float to integer: without the fraction; NaN is 0; INT32, INT64, UINT32 and UINT64 take the nearest number
 *   that they have, the others the low bits of what INT64 would be
 * - integer to integer: the low bits
 * - to a float: rounded once to nearest, ties to even, overflow to infinity
 * - to FLOAT8_E4M3FN: what is beyond 448, infinity too, becomes 448; to FLOAT8_E5M2 as to any float; NaN
 *   keeps its sign in both
 * - to HIFLOAT8: ties away from zero, infinity from 40960 on, and one zero, +0
 * - to FLOAT8_E8M0, powers of two: the sign is dropped, ties go up, what is too large or no number is NaN
 * - to FLOAT4_E2M1 and FLOAT4_E1M2: ties to even, 6 and 1.75 for all beyond, infinity too; 0 for NaN
 * - to INT4: the low bits of what INT8 would be
 * - to BOOL: true for what is not 0, NaN and either part of a complex number included
 * - complex to real: the real part
 *
 * From BOOL come 0 and 1, from real numbers complex ones with an imaginary part of +0. NaN that changes its
 * dtype becomes the canonical quiet NaN; between tensors of one dtype the bits stay as they are. Source: the
 * operator's published contract; docs/compatibility.md says what differs elsewhere.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CAST_H
#define BELAY_ACLNNOP_ACLNN_CAST_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1: checks the arguments and prepares the work. Needs no device; any thread.
 * - self: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), DOUBLE, INT8 to INT64, UINT8 to UINT64, BOOL,
 *   COMPLEX64 or COMPLEX128; on Ascend950 FLOAT8_E4M3FN and FLOAT8_E5M2, too
 * - dtype: the dtype of out, of the same list
 * - out: of that dtype, the shape of self
 * - workspaceSize: gets the bytes that phase 2 needs, 0 nearly always (BELAY_WORKSPACE raises it)
 * - executor: gets what phase 2 or aclDestroyAclOpExecutor takes
 *
 * Up to 8 dims, any strides (0 for the input too) and offsets. The output may be the input or overlap it: the
 * input is read as if copied first. With an empty tensor, phase 2 does nothing. On failure the results are
 * left alone:
 * - 161001: workspaceSize or executor is NULL; then self or out is NULL
 * - 161002, in this order: a handle that is not live; a view that cannot be (negative dims, strides or
 *   offset, more than 2^63 - 1 elements); dtypes, in argument order; rank over 8; shapes; an
 *   output that overlaps itself
 * - 361001: an environment variable is not understood, or the process was forked after first use
 * - 561101: memory for the executor ran out
 */
aclnnStatus aclnnCastGetWorkspaceSize(const aclTensor *self, const aclDataType dtype, aclTensor *out,
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
aclnnStatus aclnnCast(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
