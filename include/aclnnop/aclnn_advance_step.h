/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Goes on to the next step of decoding: the tokens that were sampled, one position further.
 * - All INT64. For i < numQueries: inputTokens[i] = sampledTokenIds[i][0], inputPositions[i] = seqLens[i],
 *   seqLens[i] is one more, and slotMapping[i] = blockTables[i][p / blockSize] * blockSize + p mod blockSize
 *   of that position p. For i from there to numSeqs: token 0, position 0, slot -1. inputTokens,
 *   inputPositions, seqLens, slotMapping: one dim of numSeqs or more; sampledTokenIds, blockTables: a row
 *   for each query or more.
 * A position beyond the table is a fault of the run. 161002 too: other shapes, counts below 1. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADVANCE_STEP_H
#define BELAY_ACLNNOP_ACLNN_ADVANCE_STEP_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAdvanceStep, aclTensor *inputTokens, const aclTensor *sampledTokenIds,
               aclTensor *inputPositions, aclTensor *seqLens, aclTensor *slotMapping,
               const aclTensor *blockTables, int64_t numSeqs, int64_t numQueries, int64_t blockSize)
#endif
