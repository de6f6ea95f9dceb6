/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of batches of matrices.
 *
 *     out[b] = self[b] @ mat2[b]
 *
 * Every element is a sum of products in FLOAT: fused multiply-adds in increasing order of the common dim, in
 * blocks of 256 whose sums are added in order. It depends on the values alone, not on the processor, the
 * threads, strides or the place of an element, and is rounded once to the dtype of out. With
 * BELAY_ACCURACY=exact sums are in DOUBLE, where products are exact. NaN and infinities follow the
 * arithmetic; NaN results are the canonical quiet NaN. A common dim of 0 gives 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BATCH_MATMUL_H
#define BELAY_ACLNNOP_ACLNN_BATCH_MATMUL_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1. Any strides, 0 for inputs too, and offsets will do; the output may overlap inputs, which are read
 * as if copied first. An empty output takes no work. On failure the results are left alone:
 * - self (..., m, k) and mat2 (..., k, n) of equal rank, 3 to 8; the dims before the last two broadcast; out
 *   (..., m, n)
 * - FLOAT, FLOAT16 or BFLOAT16 (not on Ascend910A) in any mix; what they promote to is what the sums are made
 * for, and out may be any of the three
 * - cubeMathType: 0 to 4; a device may lower the precision of FLOAT by it, Belay does not and gives the same
 * for all
 * - 161001: workspaceSize or executor is NULL; then a tensor or scalar, in argument order
 * - 161002, in this order: a handle that is not live; a view that cannot be; dtypes in argument order; ranks;
 * the common dim; the dims of batches; cubeMathType; the shape of the output; an output that overlaps itself
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnBatchMatMulGetWorkspaceSize(const aclTensor *self, const aclTensor *mat2, aclTensor *out,
                                             int8_t cubeMathType, uint64_t *workspaceSize,
                                             aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnBatchMatMul(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                             aclrtStream stream);

/*
 * The same by the name that is called for a mat2 in FRACTAL_NZ. Either function takes either: a tensor says
 * itself how it lies (aclnn_npu_format_cast.h).
 */
aclnnStatus aclnnBatchMatMulWeightNzGetWorkspaceSize(const aclTensor *self, const aclTensor *mat2,
                                                     aclTensor *out, int8_t cubeMathType,
                                                     uint64_t *workspaceSize, aclOpExecutor **executor);
aclnnStatus aclnnBatchMatMulWeightNz(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                     aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
