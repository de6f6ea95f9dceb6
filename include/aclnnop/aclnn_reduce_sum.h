/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sum of elements along some dims.
 *
 *     out = the sum of all self, cast to dtype, along dims
 *
 * Floats and complex numbers are added in DOUBLE in an order that follows from their number alone, and
 * rounded once to dtype: every processor, layout and number of threads gives the same bits. Integers wrap;
 * the sum of BOOL as BOOL is whether any is true, as an integer how many are. The sum of nothing is 0. NaN
 * results are the canonical quiet NaN. Elements are cast as aclnnCast does.
 */
#ifndef BELAY_ACLNNOP_ACLNN_REDUCE_SUM_H
#define BELAY_ACLNNOP_ACLNN_REDUCE_SUM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1. Any strides (0 for the input too) and offsets will do; the output may overlap the input, which is
 * read as if copied first. On failure the results are left alone.
 * - self: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), DOUBLE, INT8 to INT64, UINT8, BOOL, COMPLEX64 or
 *   COMPLEX128, rank 0 to 8
 * - dims: from -rank to rank - 1, each once; an empty array stands for all
 * - keepDims: whether the dims stay, with size 1
 * - dtype: of out, from the same list
 * - out: the shape of self without the dims; () and {1} stand for each other
 * - 161001: workspaceSize or executor is NULL; then self, dims or out
 * - 161002, in this order: a handle that is not live; a view that cannot be; dtypes; rank; dims; a complex
 *   sum of nothing; the dtype and shape of out; an out that overlaps itself
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnReduceSumGetWorkspaceSize(const aclTensor *self, const aclIntArray *dims, bool keepDims,
                                           aclDataType dtype, aclTensor *out, uint64_t *workspaceSize,
                                           aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnReduceSum(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                           aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
