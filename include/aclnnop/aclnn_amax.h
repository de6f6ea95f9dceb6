/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest of elements along some dims.
 *
 *     out = the greatest self along dim
 *
 * Where one of the elements is NaN, out is the canonical quiet NaN. +0 is greater than -0. The greatest of
 * BOOL is whether any is true.
 */
#ifndef BELAY_ACLNNOP_ACLNN_AMAX_H
#define BELAY_ACLNNOP_ACLNN_AMAX_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1. Any strides (0 for the input too) and offsets will do; the output may overlap the input, which is
 * read as if copied first. On failure the results are left alone.
 * - self: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), DOUBLE, INT8 to INT64, UINT8 or BOOL, rank 0 to 8
 * - dim: from -rank to rank - 1, each once; an empty array stands for all
 * - keepDim: whether the dims stay, with size 1
 * - out: the dtype of self, and its shape without the dims; () and {1} stand for each other
 * - 161001: workspaceSize or executor is NULL; then self, dim or out
 * - 161002, in this order: a handle that is not live; a view that cannot be; the dtype of self; rank; dim; a
 *   result of no elements; the dtype and shape of out; an out that overlaps itself
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnAmaxGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim, bool keepDim,
                                      aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnAmax(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
