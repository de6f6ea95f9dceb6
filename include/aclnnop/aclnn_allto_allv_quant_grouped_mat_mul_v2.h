/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Quantised rows to the experts of other ranks, and their products there.
 * gmmX: INT8 or, under Ascend950, HIFLOAT8 or FLOAT8, [tokens, h], ordered by rank and then that rank's
 * expert; sendCounts: rows for each, e numbers for each of the ranks W; recvCounts: what comes, by rank and
 * then the own expert. gmmWeight: of gmmX's dtype, or both FLOAT8, [e, h, n], or [e, n, h] with
 * transGmmWeight. gmmXScale by gmmXQuantMode: 1 FLOAT [1], 3 FLOAT [tokens], 6 FLOAT8_E8M0 [tokens, ceil(h /
 * 64), 2] of FLOAT8 (MX); a rank's scales go with its rows. gmmWeightScale by gmmWeightQuantMode: 1 FLOAT [1]
 * or [e], 2 FLOAT [e, n], 6, together with the other 6, FLOAT8_E8M0 [e, ceil(h / 64), n, 2], or [e, n, ceil(h
 * / 64), 2] with transGmmWeight. gmmY: FLOAT, FLOAT16 or BFLOAT16 [received, n], rows by own expert and then
 * source; permuteOut: gmmX's dtype [received, h], the rows themselves so, with permuteOutFlag. mmXOptional
 * [m, k] and mmWeightOptional [k, n], or [n, k] with transMmWeight, with scales and modes alike, without e:
 * both or none; mmYOptional is their product. Count tensors are NULL; groupSize changes nothing. group: the
 * name of a communicator of the current device; its ranks call alike, and the call is one collective of it;
 * counts that differ from a peer's fail the task on all ranks. commMode changes nothing. One source has the
 * order, torch_npu 2.14's own call; that modes are these, and the scales' shapes, is inferred from the
 * unquantised function and the other quantised products between ranks.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ALLTO_ALLV_QUANT_GROUPED_MAT_MUL_V2_H
#define BELAY_ACLNNOP_ACLNN_ALLTO_ALLV_QUANT_GROUPED_MAT_MUL_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAlltoAllvQuantGroupedMatMulV2, const aclTensor *gmmX, const aclTensor *gmmWeight,
               const aclTensor *gmmXScale, const aclTensor *gmmWeightScale,
               const aclTensor *sendCountsTensorOptional, const aclTensor *recvCountsTensorOptional,
               const aclTensor *mmXOptional, const aclTensor *mmWeightOptional,
               const aclTensor *mmXScaleOptional, const aclTensor *mmWeightScaleOptional,
               int64_t gmmXQuantMode, int64_t gmmWeightQuantMode, int64_t mmXQuantMode,
               int64_t mmWeightQuantMode, const char *group, const char *commMode, int64_t epWorldSize,
               const aclIntArray *sendCounts, const aclIntArray *recvCounts, bool transGmmWeight,
               bool transMmWeight, int64_t groupSize, bool permuteOutFlag, aclTensor *gmmY,
               aclTensor *mmYOptional, aclTensor *permuteOutOptional)
#endif
