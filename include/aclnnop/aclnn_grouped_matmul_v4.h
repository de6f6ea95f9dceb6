/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices by groups: y_g = x_g @ weight_g + bias_g, with the bits that aclnnAddmm has.
 * x, weight: of floats FLOAT, FLOAT16 or BFLOAT16, one for both and for y; biasOptional: NULL, or any of
 * these, one row for each group. groupType -1: a tensor of each list for each group, which has no groups
 * within, or, with splitItem 2 or 3, one y, in which the results lie one behind the other; so it is with
 * groupType 0 and several x, where groupListOptional may be NULL: otherwise it says the rows of each x.
 * groupType 0: x is one matrix, weight one of (groups, K, N) or a list of (K, N), and bias one of (groups,
 * N) or a list; the rows of x up to groupListOptional's first number, and so on, are the groups, and y is
 * one matrix. groupType 2: x and weight are one matrix each, the columns of x and rows of weight make
 * groups, y is one of (groups, M, N), and there is no bias. Rows of no group become 0. Numbers that fall, or
 * are more than there is, fail the task before anything is written. Inputs and results of activations are
 * expected to be NULL or empty lists. groupListType: 0: where groups end, 1: how long they are, 2: pairs
 * (groups, 2) of a group and how long it is; groupListOptional: INT64, read when the work runs; splitItem: 0
 * or 1 for a y of each group, 2 or 3 for one y.
 * Whole numbers: x INT8 or INT4, weight INT8 or INT4 beside INT8, INT4 beside INT4, of which INT32 may hold
 * eight, the first in the lowest bits; weight also of 5 dims, in blocks (groups, n / c, k / 16, 16, c). y:
 * FLOAT16, BFLOAT16, FLOAT, or INT8: (sums + bias of INT32) * scale * perTokenScale + other bias, with INT8
 * + offset, FLOAT like scale, or that in the bits of scale; INT32: sums + bias. scaleOptional, for all but
 * INT32: FLOAT, FLOAT16, BFLOAT16, INT64 or UINT64 whose lower half is a FLOAT: (groups, N), (groups, 1, N),
 * or, of INT4, (groups, parts, N) for parts of K, or a list. perTokenScaleOptional: FLOAT, one for each row
 * of x. INT8 by INT4 with a bias of floats, 8 times the sums of weight * scale: 8 is taken from each x, and
 * the bias is added before perTokenScale; offsetOptional times the sums of x in its part is added there,
 * too. Sums are exact in INT32, which wraps, the rest is in DOUBLE, rounded once.
 * Floats, under Ascend950: FLOAT8_E4M3FN and FLOAT8_E5M2 by each other, HIFLOAT8 by itself, FLOAT8_E4M3FN or
 * FLOAT4_E2M1 by FLOAT4_E2M1; y: FLOAT, FLOAT16 or BFLOAT16; biases of floats. Scales as above; also of
 * blocks of 128 steps and columns, scale (groups, K / 128, N / 128) and perTokenScale (M, K / 128), or
 * FLOAT8_E8M0, of FLOAT4 always, on both sides: powers of two of 32 steps of k, two in a last dim:
 * scale (groups, K / 64, N, 2), perTokenScale (M, K / 64, 2), rounded up. Products are exact, sums of a part
 * and what follows are in DOUBLE, rounded once.
 * FLOAT16 or BFLOAT16 by INT8 or INT4: weight stands for (weight + antiquantOffset) * antiquantScale, in
 * FLOAT, which are of the dtype of x and shaped as scale is.
 * actType: 0 none, 1 ReLU, 2 GELU by tanh, 3 GELU by erf, 4 x / (1 + e^-1.702x), 5 x / (1 + e^-x), before y
 * is rounded.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_V4_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_V4_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnGroupedMatmulV4, const aclTensorList *x, const aclTensorList *weight,
               const aclTensorList *biasOptional, const aclTensorList *scaleOptional,
               const aclTensorList *offsetOptional, const aclTensorList *antiquantScaleOptional,
               const aclTensorList *antiquantOffsetOptional, const aclTensorList *perTokenScaleOptional,
               const aclTensor *groupListOptional, const aclTensorList *activationInputOptional,
               const aclTensorList *activationQuantScaleOptional,
               const aclTensorList *activationQuantOffsetOptional, int64_t splitItem, int64_t groupType,
               int64_t groupListType, int64_t actType, aclTensorList *out,
               aclTensorList *activationFeatureOutOptional, aclTensorList *dynQuantScaleOutOptional)

#endif
