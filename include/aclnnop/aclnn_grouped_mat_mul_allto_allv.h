/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of experts whose rows go back to where they came from.
 * gmmX: FLOAT16 or BFLOAT16 [rows, h], ordered by own expert and then rank; sendCounts: rows for each rank and expert,
 * rank by rank, e numbers for each of the ranks W; recvCounts: what comes, by rank and then that rank's expert.
 * gmmWeight: like gmmX, [e, h, n], or [e, n, h] with transGmmWeight. y: [received, n], by rank and then expert.
 * mmXOptional [m, k] and mmWeightOptional [k, n], or [n, k] with transMmWeight: both or none; mmYOptional is their
 * product.
 * Count tensors are NULL. group: the name of a communicator of the current device; its ranks call alike, and
 * the call is one collective of it; counts that differ from a peer's fail the task on all ranks. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_MAT_MUL_ALLTO_ALLV_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_MAT_MUL_ALLTO_ALLV_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupedMatMulAlltoAllv, const aclTensor *gmmX, const aclTensor *gmmWeight,
               const aclTensor *sendCountsTensorOptional, const aclTensor *recvCountsTensorOptional,
               const aclTensor *mmXOptional, const aclTensor *mmWeightOptional, const char *group,
               int64_t epWorldSize, const aclIntArray *sendCounts, const aclIntArray *recvCounts,
               bool transGmmWeight, bool transMmWeight, aclTensor *y, aclTensor *mmYOptional)
#endif
