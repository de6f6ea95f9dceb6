/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Softmax along a dim.
 *
 *     out = e^(self - m) / sum of e^(self - m), m the greatest self along dim
 *
 * It is computed in DOUBLE, sums in an order that follows from the size of dim alone, and rounded once to the
 * dtype of out: every processor, layout and number of threads gives the same bits. A row that has NaN or
 * +inf, or -inf alone, is NaN, the canonical quiet one.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SOFTMAX_H
#define BELAY_ACLNNOP_ACLNN_SOFTMAX_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1. Any strides (0 for the input too) and offsets will do; the output may be the input or overlap it,
 * which is read as if copied first. An empty output takes no work. On failure the results are left alone.
 * - self: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A) or DOUBLE, rank 0 to 8
 * - dim: from -rank to rank - 1; 0 and -1 of rank 0
 * - out: any of these dtypes, the shape of self
 * - 161001: workspaceSize or executor is NULL; then self or out
 * - 161002, in this order: a handle that is not live; a view that cannot be; the dtype of self; rank; dim;
 * the dtype and shape of out; an out that overlaps itself
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnSoftmaxGetWorkspaceSize(const aclTensor *self, int64_t dim, aclTensor *out,
                                         uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnSoftmax(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                         aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
