/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gated delta rule along the tokens of sequences, from a first state of each to its last, by the rules
 * of aclnn_recurrent_gated_delta_rule.h.
 * - initialState: FLOAT, FLOAT16 or BFLOAT16 (B, Nv, Dv, Dk), zeros if absent; finalState: any of these, of
 *   that shape.
 * 161002 too: other shapes. The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CHUNK_GATED_DELTA_RULE_H
#define BELAY_ACLNNOP_ACLNN_CHUNK_GATED_DELTA_RULE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnChunkGatedDeltaRule, const aclTensor *query, const aclTensor *key, const aclTensor *value,
               const aclTensor *betaOptional, const aclTensor *initialStateOptional,
               const aclTensor *actualSeqLengthsOptional, float scaleValue, const aclTensor *gOptional,
               aclTensor *out, aclTensor *finalState)
#endif
