/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Norms of a list of tensors, one number for each tensor.
 *
 *     out_i = (sum of |x|^p over x_i)^(1/p)
 *
 * p = 0 counts what is not 0, NaN included; infinity gives the largest |x|, -infinity the smallest. The sum
 * is in DOUBLE, in an order that the number of elements alone fixes, and the norm is rounded once to the
 * dtype of out_i: it does not depend on threads, processor or layout, and overflows only where the norm does.
 * NaN in x_i or for p gives the canonical quiet NaN. An empty tensor has the norm 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_NORM_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_NORM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1: checks the arguments and prepares the work. Needs no device; any thread.
 * - x: a list of any length, 0 too, of tensors of one dtype: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A) or
 *   DOUBLE; rank 0 to 8
 * - scalar: p, of any real dtype
 * - out: as many tensors of one element each, FLOAT, FLOAT16, BFLOAT16 or DOUBLE, one by one
 *
 * Any strides (0 too) and offsets will do. An output may lie in an input: norms are computed in ascending
 * order, and each is written when all of its tensor has been read. On failure the results are left alone:
 * - 161001: workspaceSize or executor is NULL; then x, scalar, out or an element of a list
 * - 161002, in this order: a handle that is not live; a view that cannot be; dtypes of x; scalar; rank over
 *   8; the length of out, and its tensors
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnForeachNormGetWorkspaceSize(const aclTensorList *x, const aclScalar *scalar,
                                             aclTensorList *out, uint64_t *workspaceSize,
                                             aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnForeachNorm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                             aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
