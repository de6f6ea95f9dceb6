/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Goes on to the next step of decoding, with guessed tokens behind the sampled ones.
 * - Without specTokenOptional and acceptedNumOptional: as aclnn_advance_step.h. With them, INT64 (numSeqs,
 *   k) and (numSeqs), each sequence has 1 + k places: positions are 1 + acceptedNum further, seqLens are one
 *   more than these, slotMapping as there, by the sequence's row; the first token is the last of
 *   sampledTokenIds before the first -1, the others are specToken's.
 * Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADVANCE_STEP_V2_H
#define BELAY_ACLNNOP_ACLNN_ADVANCE_STEP_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAdvanceStepV2, aclTensor *inputTokens, const aclTensor *sampledTokenIds,
               aclTensor *inputPositions, aclTensor *seqLens, aclTensor *slotMapping,
               const aclTensor *blockTables, const aclTensor *specTokenOptional,
               const aclTensor *acceptedNumOptional, int64_t numSeqs, int64_t numQueries, int64_t blockSize)
#endif
