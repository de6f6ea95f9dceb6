/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Normalisation of rows: of the last dims of the input together.
 *
 *     mean = the mean of a row, variance = the mean of (input - mean)^2
 *     rstd = 1 / sqrt(variance + eps)
 *     out = (input - mean) rstd weight + bias
 *
 * It is computed in DOUBLE, sums in an order that follows from the length of a row alone, and rounded once to
 * the dtypes of the outputs: every processor, layout and number of threads gives the same bits. Rows without
 * elements have mean 0 and rstd NaN. NaN results are the canonical quiet NaN.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LAYER_NORM_H
#define BELAY_ACLNNOP_ACLNN_LAYER_NORM_H

#include "aclnnop/function.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1. Any strides (0 for inputs too) and offsets will do; out may be the input or overlap inputs, which
 * are read as if copied first. On failure the results are left alone.
 * - input: FLOAT, FLOAT16 or BFLOAT16 (not on Ascend910A), rank 1 to 8
 * - normalizedShape: the last dims of input, one at least
 * - weightOptional, biasOptional: of that shape and one dtype, FLOAT or that of input; NULL: 1 and 0
 * - eps: is added to the variance
 * - out: any of these dtypes, the shape of input
 * - meanOutOptional, rstdOutOptional: any of these dtypes, one element for each row, in any shape; NULL: is
 * not written
 * - 161001: workspaceSize or executor is NULL; then input, normalizedShape or out
 * - 161002, in this order: a handle that is not live; a view that cannot be; dtypes of inputs; rank;
 *   normalizedShape; shapes of weightOptional and biasOptional; dtypes and shapes of outputs; an output that
 *   overlaps itself
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnLayerNormGetWorkspaceSize(const aclTensor *input, const aclIntArray *normalizedShape,
                                           const aclTensor *weightOptional, const aclTensor *biasOptional,
                                           double eps, aclTensor *out, aclTensor *meanOutOptional,
                                           aclTensor *rstdOutOptional, uint64_t *workspaceSize,
                                           aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnLayerNorm(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                           aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/*
 * The same; implMode is 0 or 1, or 2 where input, weightOptional and biasOptional are FLOAT16 (else 161002),
 * and changes nothing.
 */
ACLNN_FUNCTION(aclnnFastLayerNorm, const aclTensor *input, const aclIntArray *normalizedShape,
               const aclTensor *weightOptional, const aclTensor *biasOptional, double eps, aclTensor *out,
               aclTensor *meanOutOptional, aclTensor *rstdOutOptional)
ACLNN_FUNCTION(aclnnLayerNormWithImplMode, const aclTensor *input, const aclIntArray *normalizedShape,
               const aclTensor *weightOptional, const aclTensor *biasOptional, double eps, aclTensor *out,
               aclTensor *meanOutOptional, aclTensor *rstdOutOptional, int32_t implMode)

#endif
