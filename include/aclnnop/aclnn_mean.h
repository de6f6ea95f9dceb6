/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The mean of elements along some dims.
 *
 *     out = the sum of all self, cast to dtype, along dim, divided by their number
 *
 * Floats and complex numbers are added in DOUBLE in an order that follows from their number alone, divided,
 * and rounded once to dtype: every processor, layout and number of threads gives the same bits. Of integers
 * the mean is exact but for its fraction, which is cut off (of INT64 up to 2^32 elements). The mean of
 * nothing is NaN, of integers 0. NaN results are the canonical quiet NaN.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MEAN_H
#define BELAY_ACLNNOP_ACLNN_MEAN_H

#include "aclnnop/function.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1. Any strides (0 for the input too) and offsets will do; the output may overlap the input, which is
 * read as if copied first. On failure the results are left alone.
 * - self: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), DOUBLE, INT8 to INT64, UINT8, COMPLEX64 or
 *   COMPLEX128, rank 0 to 8
 * - dim: dims from -rank to rank - 1, each once; an empty array stands for all
 * - keepDim: whether the dims stay, with size 1
 * - dtype: of the same list, not less than self's kind: never FLOAT to integer or complex to real
 * - out: the shape of self without the dims, () and {1} for each other; of a dtype that dtype may become in
 *   the same way
 * - 161001: workspaceSize or executor is NULL; then self, dim or out
 * - 161002, in this order: a handle that is not live; a view that cannot be; dtypes; rank; dims; a complex
 *   mean of nothing; the dtype and shape of out; an out that overlaps itself
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnMeanGetWorkspaceSize(const aclTensor *self, const aclIntArray *dim, bool keepDim,
                                      aclDataType dtype, aclTensor *out, uint64_t *workspaceSize,
                                      aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnMean(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/* The same in the dtype of self, which out has; with noopWithEmptyAxes an empty dim stands for no dim at all.
 */
ACLNN_FUNCTION(aclnnMeanV2, const aclTensor *self, const aclIntArray *dim, bool keepDim,
               bool noopWithEmptyAxes, aclTensor *out)

#endif
