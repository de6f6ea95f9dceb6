/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices by groups: y_g = x_g @ weight_g + bias_g, with the bits that aclnnAddmm has.
 * x, weight: FLOAT, FLOAT16 or BFLOAT16, one for both and for y; biasOptional: NULL, or any of these, one
 * row for each group. groupListOptional NULL or empty, splitItem 0 or 1: a tensor of each list for each
 * group, which has no groups within; splitItem 2 or 3: the results lie one behind the other in one y, for
 * which weight and bias may be as below, and groupListOptional may say where the rows of each x end.
 * groupListOptional, splitItem 2 or 3: x is one matrix, weight one of (groups, K, N) or a list of (K, N),
 * and bias one of (groups, N) or a list; the rows of x up to its first number, and so on, are the groups,
 * and y is one matrix. Rows of no group become 0. Numbers that fall, or are more than there is, fail the
 * task before anything is written. splitItem 0 or 1: weight is a list, and so is y, a matrix for each
 * group; numbers that fall are 161002. What quantises is expected to be NULL or an empty list.
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
