/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices by groups: y_g = x_g @ weight_g + bias_g, with the bits that aclnnAddmm has.
 * x, weight: of floats FLOAT, FLOAT16 or BFLOAT16, one for both and for y; biasOptional: NULL, or any of
 * these, one row for each group. groupListOptional NULL or empty, splitItem 0 or 1: a tensor of each list
 * for each group, which has no groups within; splitItem 2 or 3: the results lie one behind the other in one
 * y, for which weight and bias may be as below, and groupListOptional may say where the rows of each x end.
 * groupListOptional, splitItem 2 or 3: x is one matrix, weight one of (groups, K, N) or a list of (K, N),
 * and bias one of (groups, N) or a list; the rows of x up to its first number, and so on, are the groups,
 * and y is one matrix. Rows of no group become 0. Numbers that fall, or are more than there is, fail the
 * task before anything is written. splitItem 0 or 1: weight is a list, and so is y, a matrix for each group;
 * numbers that fall are 161002.
 * Whole numbers: x INT8 or INT4, weight INT8 or INT4 beside INT8, INT4 beside INT4, of which INT32 may hold
 * eight, the first in the lowest bits; weight also of 5 dims, in blocks (groups, n / c, k / 16, 16, c). y:
 * FLOAT16, BFLOAT16, FLOAT, or INT8: (sums + bias of INT32) * scale + other bias, with INT8 + offset, FLOAT
 * like scale, or that in the bits of scale; INT32: sums + bias. scaleOptional, for all but INT32: FLOAT,
 * FLOAT16, BFLOAT16, INT64 or UINT64 whose lower half is a FLOAT: (groups, N), (groups, 1, N), or, of INT4,
 * (groups, parts, N) for parts of K, or a list. INT8 by INT4 with a bias of floats, 8 times the sums of
 * weight * scale: 8 is taken from each x; offsetOptional times the sums of x in its part is added. Sums are
 * exact in INT32, which wraps, the rest is in DOUBLE, rounded once.
 * FLOAT16 or BFLOAT16 by INT8 or INT4: weight stands for (weight + antiquantOffset) * antiquantScale, in
 * FLOAT, which are of the dtype of x and shaped as scale is.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnGroupedMatmul, const aclTensorList *x, const aclTensorList *weight,
               const aclTensorList *biasOptional, const aclTensorList *scaleOptional,
               const aclTensorList *offsetOptional, const aclTensorList *antiquantScaleOptional,
               const aclTensorList *antiquantOffsetOptional, const aclIntArray *groupListOptional,
               int64_t splitItem, const aclTensorList *y)

#endif
