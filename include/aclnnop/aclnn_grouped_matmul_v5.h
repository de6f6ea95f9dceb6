/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices by groups: y_g = x_g @ weight_g + bias_g, with the bits that aclnnAddmm has.
 * x, weight: FLOAT, FLOAT16 or BFLOAT16, one for both and for y; biasOptional: NULL, or any of these, one
 * row for each group. groupType -1: a tensor of each list for each group, which has no groups within,
 * or, with splitItem 2 or 3, one y, in which the results lie one behind the other; so it is with groupType 0
 * and several x, where groupListOptional may be NULL: otherwise it says the rows of each x.
 * groupType 0: x is one matrix, weight one of (groups, K, N) or a list of (K, N), and bias one of (groups,
 * N) or a list; the rows of x up to groupListOptional's first number, and so on, are the groups, and y is
 * one matrix. groupType 2: x and weight are one matrix each, the columns of x and rows of weight make
 * groups, y is one of (groups, M, N), and there is no bias. Rows of no group become 0. Numbers that fall, or
 * are more than there is, fail the task before anything is written. What quantises is expected to be NULL or
 * an empty list. activations and their results, too, and actType 0; groupListType: 0: where groups end, 1:
 * how long they are; groupListOptional: INT64, of one dim, read when the work runs; splitItem: 0 or 1 for
 * a y of each group, 2 or 3 for one y. tuningConfigOptional changes nothing. Order as torch_npu 2.14 passes
 * it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_V5_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_V5_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnGroupedMatmulV5, const aclTensorList *x, const aclTensorList *weight,
               const aclTensorList *biasOptional, const aclTensorList *scaleOptional,
               const aclTensorList *offsetOptional, const aclTensorList *antiquantScaleOptional,
               const aclTensorList *antiquantOffsetOptional, const aclTensorList *perTokenScaleOptional,
               const aclTensor *groupListOptional, const aclTensorList *activationInputOptional,
               const aclTensorList *activationQuantScaleOptional,
               const aclTensorList *activationQuantOffsetOptional, int64_t splitItem, int64_t groupType,
               int64_t groupListType, int64_t actType, const aclIntArray *tuningConfigOptional,
               aclTensorList *out, aclTensorList *activationFeatureOutOptional,
               aclTensorList *dynQuantScaleOutOptional)

#endif
