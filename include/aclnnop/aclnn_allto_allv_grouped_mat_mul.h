/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows to the experts of other ranks, and their products there.
 * gmmX: FLOAT16 or BFLOAT16 [tokens, h], ordered by rank and then that rank's expert; sendCounts: rows for each, e
 * numbers for each of the ranks W; recvCounts: what comes, by rank and then the own expert. gmmWeight: like gmmX,
 * [e, h, n], or [e, n, h] with transGmmWeight. gmmY: [received, n], rows by own expert and then source; permuteOut:
 * [received, h], the rows themselves so, with permuteOutFlag. mmXOptional [m, k] and mmWeightOptional [k, n], or
 * [n, k] with transMmWeight: both or none; mmYOptional is their product.
 * Count tensors are NULL. group: the name of a communicator of the current device; its ranks call alike, and
 * the call is one collective of it; counts that differ from a peer's fail the task on all ranks. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ALLTO_ALLV_GROUPED_MAT_MUL_H
#define BELAY_ACLNNOP_ACLNN_ALLTO_ALLV_GROUPED_MAT_MUL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAlltoAllvGroupedMatMul, const aclTensor *gmmX, const aclTensor *gmmWeight,
               const aclTensor *sendCountsTensorOptional, const aclTensor *recvCountsTensorOptional,
               const aclTensor *mmXOptional, const aclTensor *mmWeightOptional, const char *group,
               int64_t epWorldSize, const aclIntArray *sendCounts, const aclIntArray *recvCounts,
               bool transGmmWeight, bool transMmWeight, bool permuteOutFlag, aclTensor *gmmY,
               aclTensor *mmYOptional, aclTensor *permuteOutOptional)
#endif
