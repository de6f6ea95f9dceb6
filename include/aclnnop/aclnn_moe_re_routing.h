/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows that came from several ranks, each of which has them by experts, by experts and then by ranks.
 * tokens: FLOAT, FLOAT16, BFLOAT16 or INT8, [rows, width], in the order of expertTokenNumPerRank: INT32 or
 * INT64, [ranks, experts], how many rows each rank has for each expert. perTokenScalesOptional: FLOAT,
 * [rows] or [rows, ...], moved alike, or NULL. permuteTokens: as tokens; permutePerTokenScales: as the
 * scales, not looked at without any; permuteTokenIdx: INT32, [rows], with idxType 0 the row of tokens that
 * row i comes from, with 1 the one that row i goes to; expertTokenNum: the dtype of the counts, [experts],
 * with expertTokenNumType 1 the rows of each, with 0 those up to it. Rows that no count names come out as
 * 0, their indices as -1; counts that are negative or name more rows than there are make the task fail.
 * Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_RE_ROUTING_H
#define BELAY_ACLNNOP_ACLNN_MOE_RE_ROUTING_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeReRouting, const aclTensor *tokens, const aclTensor *expertTokenNumPerRank,
               const aclTensor *perTokenScalesOptional, int64_t expertTokenNumType, int64_t idxType,
               const aclTensor *permuteTokens, const aclTensor *permutePerTokenScales,
               const aclTensor *permuteTokenIdx, const aclTensor *expertTokenNum)
#endif
