/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The tokens of a mixture of experts in the order of their experts, of all or of some, quantised if asked
 * for.
 * x: FLOAT, FLOAT16, BFLOAT16, or with quantMode -1 INT8 and on Ascend950 floats of 8 and 4 bits, [tokens,
 * width]; expertIdx: INT32 or INT64,
 * [tokens, topK], or [tokens] for topK 1; pair p = token * topK + choice. activeExpertRangeOptional: the
 * first expert and the one behind the last whose pairs count, NULL or empty for 0 and expertNum (1 or more).
 * Pairs that count are sorted by expert, those of one expert in their order; others, of whatever number, are
 * left out.
 * activeNum: where it is more than 0, no more rows than that come out; dropPadMode 0: expandedXOut is [rows,
 * width], a row for each pair, 0 behind those that there are; 1: [expertNum, expertCapacity, width], the
 * first expertCapacity (1 to tokens) pairs of each expert and rows of 0 behind them. expandedRowIdxOut:
 * INT32, [tokens * topK], with rowIdxType 0 the place of each pair in the order, with dropPadMode 1 its row,
 * and -1 where it has none; with rowIdxType 1 and dropPadMode 0 the pairs in their order, and -1 behind them.
 * expertTokensNumFlag with expertTokensNumType 0, 1, 2: prefix sums of how many pairs each expert of the
 * range has, their numbers, or [expertNum, 2] of expert and number where that is not 0, and 0 behind them;
 * INT64, before any is dropped.
 * quantMode -1: the rows as they are; expandedScaleOut: where scaleOptional, FLOAT of [tokens] or
 * FLOAT8_E8M0 of [tokens, pairs of 32 columns, 2], is given, that of each row, 0 in rows without a token. 0:
 * expandedXOut, INT8, = x * scaleOptional + offsetOptional, of one FLOAT each (161001 where one is NULL). 1:
 * v = x * scaleOptional, FLOAT of [1, width] or [experts of the range, width], NULL for 1; expandedScaleOut,
 * FLOAT, a number for each row, = greatest |v| of the row / 127, and expandedXOut = v / that; both rounded
 * to the nearest whole number, ties to even, no further than -128 and 127, in DOUBLE, 0 where it is no
 * number. On Ascend950 besides, scaleOptional not looked at but in 7 and 13, with all numbers of a row that
 * nothing comes to, and its scales, 0:
 * 2, 16: FLOAT8_E5M2, 3, 17: FLOAT8_E4M3FN, in MX blocks: expandedScaleOut is FLOAT8_E8M0, two for each 64
 * columns, 2^e = greatest |x| of 32 columns / the greatest number, rounded up to a power of two; of 16 and
 * 17 that greatest is 1e-4 at least. 9: the same of FLOAT4_E2M1, e the greatest's exponent less 2.
 * 4, 14, 11: FLOAT8_E5M2, 5, 15, 12: FLOAT8_E4M3FN, over a FLOAT for each 128 columns, their greatest |x| /
 * the greatest number; of 11 and 12 an even number of them, 0 behind the last. No public source says what
 * sets 14 and 15 apart from 4 and 5 [?].
 * 6: HIFLOAT8 of x; 7: of x * scaleOptional, one FLOAT (161001 where it is NULL); 8: over a FLOAT for each
 * row, its greatest |x| / 32768. 13: as 1, but INT4, or INT32 of eight of them, over greatest |v| / 7.
 * A block with an infinity or NaN has the scale NaN and numbers of 0 in MX. Rounded to the nearest, ties to
 * even, of HIFLOAT8 away from 0, no further than the greatest numbers. Scales may have any shape of as many.
 * An output that is not asked for may be NULL and is not written. 161002 too: numbers outside these, and on
 * older products quantMode above 1. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_INIT_ROUTING_V3_H
#define BELAY_ACLNNOP_ACLNN_MOE_INIT_ROUTING_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeInitRoutingV3, const aclTensor *x, const aclTensor *expertIdx,
               const aclTensor *scaleOptional, const aclTensor *offsetOptional, int64_t activeNum,
               int64_t expertCapacity, int64_t expertNum, int64_t dropPadMode, int64_t expertTokensNumType,
               bool expertTokensNumFlag, int64_t quantMode, const aclIntArray *activeExpertRangeOptional,
               int64_t rowIdxType, aclTensor *expandedXOut, aclTensor *expandedRowIdxOut,
               aclTensor *expertTokensCountOrCumsumOut, aclTensor *expandedScaleOut)
#endif
