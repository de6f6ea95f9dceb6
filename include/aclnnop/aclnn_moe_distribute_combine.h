/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rows of experts back to their tokens, as aclnnMoeDistributeDispatch has sent them, and their sums.
 * expandX: FLOAT16 or BFLOAT16, [rows, width], in the order of dispatch; expertIds and xActiveMask: as for
 * dispatch; epSendCounts: its epRecvCounts; expertScales: FLOAT, [tokens, topK]. x: the dtype of expandX,
 * [tokens, width], the sum over choices of scale * row, and of the rows of shared experts, in DOUBLE in
 * this order, rounded once; what is masked out adds nothing. Counts that fall, or are more than the rows,
 * make the task fail, and so do counts of ranks that do not fit. expandIdx, tpSendCounts and expandScales
 * are not read; activationScale, weightScale and groupList are NULL, outDtype is 0, and commQuantMode
 * changes nothing. groupEp is the name of a communicator of the current device, as HcclGetCommName tells
 * (161002 where there is none, 361001 without libhccl.so); all its ranks call the function in the same
 * order as its collectives, with which its work shares checks, timeouts and failures, and cannot be
 * recorded. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_COMBINE_H
#define BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_COMBINE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeDistributeCombine, const aclTensor *expandX, const aclTensor *expertIds,
               const aclTensor *expandIdx, const aclTensor *epSendCounts, const aclTensor *expertScales,
               const aclTensor *tpSendCounts, const aclTensor *xActiveMask, const aclTensor *activationScale,
               const aclTensor *weightScale, const aclTensor *groupList, const aclTensor *expandScales,
               const char *groupEp, int64_t epWorldSize, int64_t epRankId, int64_t moeExpertNum,
               const char *groupTp, int64_t tpWorldSize, int64_t tpRankId, int64_t expertShardType,
               int64_t sharedExpertNum, int64_t sharedExpertRankNum, int64_t globalBs, int64_t outDtype,
               int64_t commQuantMode, int64_t groupListType, aclTensor *x)
#endif
