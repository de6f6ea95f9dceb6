/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnMoeInitRoutingV2 whose rows are quantised to INT8.
 * x: FLOAT, FLOAT16 or BFLOAT16, [tokens, width]; expertIdx: INT32 or INT64, [tokens, topK], or [tokens] for
 * topK 1; pair p = token * topK + choice. Pairs are sorted by expert, those of one expert in their order.
 * activeNum: where it is more than 0, no more rows than that come out; dropPadMode 0: expandedXOut is [rows,
 * width], 1: [expertNum, expertCapacity, width], the first expertCapacity (1 to tokens) pairs of each expert
 * and rows of 0 behind them; expertNum: 1 or more, but for dropPadMode 0 without counts, where it is not
 * asked for. expandedRowIdxOut: INT32, [tokens * topK], the row of each pair, -1 where it has none.
 * expertTokensCountOrCumsumFlag 1 or 2: prefix sums of how many pairs each expert has, or their numbers,
 * before any is dropped, INT32 or INT64, [expertNum]; expertTokensBeforeCapacityFlag with dropPadMode 1:
 * these numbers, INT32; an output that is not asked for may be NULL and is not written.
 * quantMode 0: expandedXOut = x * scaleOptional + offsetOptional, of one FLOAT each (161001 where one is
 * NULL); 1: v = x * scaleOptional, FLOAT of [1, width] or [expertNum, width], NULL for 1,
 * dynamicQuantScaleOut = greatest |v| of the row / 127, FLOAT, and expandedXOut = v / that; both rounded to
 * the nearest whole number, ties to even, no further than -128 and 127, in DOUBLE, 0 where it is no number.
 * 161002 too: quantMode other than 0 and 1. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_INIT_ROUTING_QUANT_V2_H
#define BELAY_ACLNNOP_ACLNN_MOE_INIT_ROUTING_QUANT_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeInitRoutingQuantV2, const aclTensor *x, const aclTensor *expertIdx,
               const aclTensor *scaleOptional, const aclTensor *offsetOptional, int64_t activeNum,
               int64_t expertCapacity, int64_t expertNum, int64_t dropPadMode,
               int64_t expertTokensCountOrCumsumFlag, bool expertTokensBeforeCapacityFlag, int64_t quantMode,
               aclTensor *expandedXOut, aclTensor *expandedRowIdxOut,
               aclTensor *expertTokensCountOrCumsumOutOptional,
               aclTensor *expertTokensBeforeCapacityOutOptional, aclTensor *dynamicQuantScaleOutOptional)
#endif
