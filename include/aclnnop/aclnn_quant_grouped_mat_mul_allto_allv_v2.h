/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of quantised rows by experts whose results go back to where the rows came from.
 * gmmX: INT8 or, under Ascend950, HIFLOAT8 or FLOAT8, [rows, h], ordered by own expert and then rank;
 * sendCounts: rows for each rank and expert, rank by rank, e numbers for each of the ranks W; recvCounts:
 * what comes, by rank and then that rank's expert. gmmWeight: of gmmX's dtype, or both FLOAT8, [e, h, n], or
 * [e, n, h] with transGmmWeight. gmmXScale by gmmXQuantMode: 1 FLOAT [1], 3 FLOAT [rows], 6 FLOAT8_E8M0
 * [rows, ceil(h / 64), 2] of FLOAT8 (MX). gmmWeightScale by gmmWeightQuantMode: 1 FLOAT [1] or [e], 2 FLOAT
 * [e, n], 6, together with the other 6, FLOAT8_E8M0 [e, ceil(h / 64), n, 2], or [e, n, ceil(h / 64), 2] with
 * transGmmWeight. y: FLOAT, FLOAT16 or BFLOAT16 [received, n], by rank and then expert. mmXOptional [m, k]
 * and mmWeightOptional [k, n], or [n, k] with transMmWeight, with scales and modes alike, without e: both or
 * none; mmYOptional is their product. Count tensors and commQuantScaleOptional are NULL, commQuantMode 0;
 * commQuantDtype and groupSize change nothing. group: the name of a communicator of the current device; its
 * ranks call alike, and the call is one collective of it; counts that differ from a peer's fail the task on
 * all ranks. commMode changes nothing. One source has the order, torch_npu 2.14's own call; that modes are
 * these, and the scales' shapes, is inferred from the unquantised function and the other quantised products
 * between ranks.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_GROUPED_MAT_MUL_ALLTO_ALLV_V2_H
#define BELAY_ACLNNOP_ACLNN_QUANT_GROUPED_MAT_MUL_ALLTO_ALLV_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantGroupedMatMulAlltoAllvV2, const aclTensor *gmmX, const aclTensor *gmmWeight,
               const aclTensor *gmmXScale, const aclTensor *gmmWeightScale,
               const aclTensor *sendCountsTensorOptional, const aclTensor *recvCountsTensorOptional,
               const aclTensor *mmXOptional, const aclTensor *mmWeightOptional,
               const aclTensor *mmXScaleOptional, const aclTensor *mmWeightScaleOptional,
               const aclTensor *commQuantScaleOptional, int64_t gmmXQuantMode, int64_t gmmWeightQuantMode,
               int64_t mmXQuantMode, int64_t mmWeightQuantMode, int64_t commQuantMode, int64_t commQuantDtype,
               int64_t groupSize, const char *group, const char *commMode, int64_t epWorldSize,
               const aclIntArray *sendCounts, const aclIntArray *recvCounts, bool transGmmWeight,
               bool transMmWeight, aclTensor *y, aclTensor *mmYOptional)
#endif
