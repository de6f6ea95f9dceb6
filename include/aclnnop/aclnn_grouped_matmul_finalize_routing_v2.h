/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of whole numbers by the weights of their experts, added up with weights where their tokens are.
 * x1: INT8 (m, k), or INT4, which INT32 may hold eight of; x2: INT8 or INT4 (experts, k, n), INT4 beside an
 * x1 of INT4; plain, FRACTAL_NZ, or of 5 dims (experts, n / c, k / 16, 16, c). scaleOptional, which is asked
 * for: FLOAT, FLOAT16, BFLOAT16, INT64 or UINT64 whose lower half is a FLOAT: (experts, n), (experts, 1, n),
 * and of INT4 (experts, g, n) for g parts of k. biasOptional: (experts, n): INT32 is added to the sums;
 * floats behind the scales, but of INT8 by INT4 before pertokenScaleOptional, and 8 is taken from each x1
 * then. offsetOptional: FLOAT like scale, times the sums of x1 in its part, of INT8 by INT4.
 * pertokenScaleOptional: FLOAT (m). groupList: INT64 (experts), by groupListType 0 sums of rows up to each
 * expert, 1 counts, or, 2, (experts, 2), pairs of an expert and a count.
 * out: FLOAT (tokens, n): out[b] is the sum of logit[i] y[i] over the rows i with rowIndex[i] = b, in their
 * order, behind sharedInputWeight * sharedInput for the rows from sharedInputOffset on. logitOptional: FLOAT
 * (m), 1 where NULL; rowIndexOptional: INT64 or INT32 (m), i where NULL, and tokens is m then;
 * sharedInputOptional: (rows, n), FLOAT, FLOAT16 or BFLOAT16. In DOUBLE behind the exact sums of INT32,
 * rounded once. antiquantScaleOptional and antiquantOffsetOptional: NULL; dtype: 0; transposeX1,
 * transposeX2: false; tuningConfigOptional changes nothing.
 * Floats, under Ascend950: FLOAT8_E4M3FN and FLOAT8_E5M2 by each other, HIFLOAT8 by itself, FLOAT8_E4M3FN or
 * FLOAT4_E2M1 by FLOAT4_E2M1; biases of floats. Scales as above; also of
 * blocks of 128 steps and columns, scale (experts, k / 128, n / 128) and pertokenScale (m, k / 128), or
 * FLOAT8_E8M0, of FLOAT4 always, on both sides: powers of two of 32 steps of k, two in a last dim:
 * scale (experts, k / 64, n, 2), pertokenScale (m, k / 64, 2), rounded up. Products are exact, sums of a part
 * and what follows are in DOUBLE, rounded once.
 * The work fails for a groupList that falls or goes beyond m, and a rowIndex outside out. Order as torch_npu
 * 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_FINALIZE_ROUTING_V2_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_FINALIZE_ROUTING_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupedMatmulFinalizeRoutingV2, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *scaleOptional, const aclTensor *biasOptional, const aclTensor *offsetOptional,
               const aclTensor *antiquantScaleOptional, const aclTensor *antiquantOffsetOptional,
               const aclTensor *pertokenScaleOptional, const aclTensor *groupList,
               const aclTensor *sharedInputOptional, const aclTensor *logitOptional,
               const aclTensor *rowIndexOptional, int64_t dtype, float sharedInputWeight,
               int64_t sharedInputOffset, bool transposeX1, bool transposeX2, int64_t groupListType,
               aclTensor *out)
#endif
