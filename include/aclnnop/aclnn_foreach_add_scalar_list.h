/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of the tensors of a list with a number for each.
 *
 *     out_i = x_i + scalar_i
 *
 * Each element is that of exact arithmetic, rounded once to nearest, ties to even; integers wrap. Scalars
 * are rounded to FLOAT beside FLOAT, FLOAT16 and BFLOAT16, and to DOUBLE beside DOUBLE. Beside FLOAT16 they
 * are FLOAT16's on Ascend910A and Ascend910B. NaN results are the canonical quiet NaN. Source: the operator's
 * published formula.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_ADD_SCALAR_LIST_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_ADD_SCALAR_LIST_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1: checks the arguments and prepares the work. Needs no device; any thread.
 * - x, out: lists of one length, which may be 0; all tensors of one dtype: FLOAT, FLOAT16, BFLOAT16
 *   (not on Ascend910A), DOUBLE, INT32 or INT64; rank 0 to 8
 * - those with one index have one shape; there is no broadcast, and empty ones are passed over
 * - scalars: as many as tensors, each of any real dtype beside floats, an integer or BOOL beside integers
 *
 * Any strides (0 for inputs too) and offsets will do. A tensor of out may be one of x or overlap
 * it: that with its index is read as if copied first; work goes on in ascending order of indices. The lists
 * and tensors may be destroyed after phase 2. On failure the results are left alone:
 * - 161001: workspaceSize or executor is NULL; then x, scalars, out or an element of a list
 * - 161002, in this order: a handle that is not live; a view that cannot be; dtypes of x;
 *   number and dtypes of scalars; rank over 8; shapes; length, dtypes and shapes of out, a tensor of it
 *   that overlaps itself
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnForeachAddScalarListGetWorkspaceSize(const aclTensorList *x, const aclScalarList *scalars,
                                                      aclTensorList *out, uint64_t *workspaceSize,
                                                      aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnForeachAddScalarList(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                      aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
