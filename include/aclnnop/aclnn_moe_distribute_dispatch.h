/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens to the ranks of their experts. x: FLOAT16 or BFLOAT16, [tokens, width]; expertIds: INT32, [tokens,
 * topK], experts below moeExpertNum, others make the task fail; scales: FLOAT, [shared experts + experts,
 * width], factors before quantising, or NULL; xActiveMask: BOOL, [tokens] or [tokens, topK], or NULL for
 * all; expertScales: FLOAT, [tokens, topK], or NULL. The first sharedExpertRankNum ranks have
 * sharedExpertNum experts that all tokens go to, each on several ranks; the others have as many of the rest
 * each. expandX: what has come by experts, then ranks, then tokens, 0 behind: the dtype of x with quantMode
 * 0, INT8 with 2, with dynamicScales: FLOAT, a row's greatest size / 127; as many rows as are given, and
 * fewer than come make the task fail. On Ascend950 besides, numbers are of the dtype of expandX: with 2 too
 * HIFLOAT8, FLOAT8_E4M3FN or FLOAT8_E5M2, over the greatest size / the greatest number; with 1 any of these
 * or INT8, x * scales, which must be given (161001), and no dynamicScales; with 3 those floats by blocks of
 * 128 columns: dynamicScales is FLOAT, one for each; with 4 and 5, which no public source sets apart [?],
 * FLOAT8 or FLOAT4 in MX blocks: dynamicScales is FLOAT8_E8M0, two for each 64 columns, by the rules of
 * aclnn_moe_init_routing_v3.h, of FLOAT4_E1M2 the greatest's exponent. Rows that have few bits already go
 * with quantMode 0: x is FLOAT8, HIFLOAT8, FLOAT4 or INT32, a word of several numbers, and expandX the same;
 * scales, FLOAT or FLOAT8_E8M0, are then those of the rows, [tokens, any number], of INT32 [tokens], or NULL, and
 * go along to dynamicScales, of their dtype. expandIdx: INT32, tokens * topK or more, how many pairs before
 * it go to the same expert; expertTokenNums: INT64, a number for each expert of this rank, its rows, or with
 * expertTokenNumsType 0 those up to it; epRecvCounts: INT32, ranks times experts or more, the running sums
 * by experts and ranks; tpRecvCounts: 0; expandScales: FLOAT, the expertScales of rows, else 0. tpWorldSize
 * is 0 or 1. globalBs, 0 or the tokens of all ranks, says how many rows may come. groupEp is the name of a
 * communicator of the current device, as HcclGetCommName tells (161002 where there is none, 361001 without
 * libhccl.so); all its ranks call the function in the same order as its collectives, with which its work
 * shares checks, timeouts and failures, and cannot be recorded. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_DISPATCH_H
#define BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_DISPATCH_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeDistributeDispatch, const aclTensor *x, const aclTensor *expertIds,
               const aclTensor *scales, const aclTensor *xActiveMask, const aclTensor *expertScales,
               const char *groupEp, int64_t epWorldSize, int64_t epRankId, int64_t moeExpertNum,
               const char *groupTp, int64_t tpWorldSize, int64_t tpRankId, int64_t expertShardType,
               int64_t sharedExpertNum, int64_t sharedExpertRankNum, int64_t quantMode, int64_t globalBs,
               int64_t expertTokenNumsType, aclTensor *expandX, aclTensor *dynamicScales,
               aclTensor *expandIdx, aclTensor *expertTokenNums, aclTensor *epRecvCounts,
               aclTensor *tpRecvCounts, aclTensor *expandScales)
#endif
