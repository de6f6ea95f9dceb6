/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gated delta rule along the tokens of sequences, with the state after each token kept.
 * - query, key: FLOAT, FLOAT16 or BFLOAT16 (T, Nk, Dk); value, out: that dtype (T, Nv, Dv), Nv a multiple of
 *   Nk; beta: FLOAT, FLOAT16 or BFLOAT16 (T, Nv), 1 if absent. stateRef: FLOAT, FLOAT16 or BFLOAT16 (states,
 *   Nv, Dv, Dk). g: FLOAT (T, Nv), gk: FLOAT (T, Nv, Dk), 0 if absent. actualSeqLengths: INT32 (B), tokens
 *   of each sequence; one sequence without it; tokens behind the last one give 0. ssmStateIndices: INT32
 *   (T), the state of each token; without it sequence b has state b. numAcceptedTokens: INT32 (B), 1 if
 *   absent.
 * - A sequence begins with S, the state of its token accepted - 1. For each token and head S becomes S e^g,
 *   column d times e^gk[d], then S + beta (v - S k) k^T; it is written to the token's state, rounded, and
 *   goes on as it is; out is S (scaleValue q). In DOUBLE.
 * Lengths and indices that cannot be are faults of the run. 161002 too: other shapes. The order of its
 * parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RECURRENT_GATED_DELTA_RULE_H
#define BELAY_ACLNNOP_ACLNN_RECURRENT_GATED_DELTA_RULE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRecurrentGatedDeltaRule, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *betaOptional, aclTensor *stateRef,
               const aclTensor *actualSeqLengthsOptional, const aclTensor *ssmStateIndicesOptional,
               const aclTensor *gOptional, const aclTensor *gkOptional,
               const aclTensor *numAcceptedTokensOptional, float scaleValue, aclTensor *out)
#endif
