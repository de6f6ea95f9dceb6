/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The binary cross entropy of logits.
 *
 *     l = w ((1 - y) x + (1 + (p - 1) y) (ln(1 + e^-|x|) + max(-x, 0)))
 *     out = l, the mean of all l, or their sum
 *
 * with x of self, y of target, w of weight and p of posWeight, which are 1 where they are not given. It is
 * computed in DOUBLE as w ((1 - y) ln(1 + e^x) + p y ln(1 + e^-x)), which loses nothing where one of the two
 * vanishes; sums and means are in DOUBLE, in an order that the number of elements alone fixes. The result is
 * rounded once and does not depend on threads, processor or layout. The sum of nothing is 0, the mean of
 * nothing NaN. NaN results are the canonical quiet NaN. Where x, y or p is infinite the first formula counts
 * as it stands: 0 times infinity is NaN.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BINARY_CROSS_ENTROPY_WITH_LOGITS_H
#define BELAY_ACLNNOP_ACLNN_BINARY_CROSS_ENTROPY_WITH_LOGITS_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1: checks the arguments and prepares the work. Needs no device; any thread.
 * - self: FLOAT, FLOAT16 or BFLOAT16 (not on Ascend910A), rank 0 to 8
 * - target: the dtype and shape of self
 * - weightOptional, posWeightOptional: NULL, or the dtype of self and a shape that broadcasts to its shape
 * - reduction: 0 (none), 1 (mean) or 2 (sum)
 * - out: the dtype of self; its shape, with mean or sum one element of rank 0 or 1
 *
 * Any strides (0 for inputs too) and offsets will do. The output may be an input or overlap inputs: they are
 * read as if copied first. On failure the results are left alone:
 * - 161001: workspaceSize or executor is NULL; then self, target or out is NULL
 * - 161002, in this order: a handle that is not live; a view that cannot be; dtypes; rank over 8; shapes of
 *   the inputs; reduction; dtype and shape of out; an output that overlaps itself
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize(const aclTensor *self, const aclTensor *target,
                                                              const aclTensor *weightOptional,
                                                              const aclTensor *posWeightOptional,
                                                              int64_t reduction, aclTensor *out,
                                                              uint64_t *workspaceSize,
                                                              aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnBinaryCrossEntropyWithLogits(void *workspace, uint64_t workspaceSize,
                                              aclOpExecutor *executor, aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
