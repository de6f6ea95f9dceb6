/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of rows (n, m) over keys k that are key1 of (n, k) plus key2 of (k, m), with values alike.
 * - query, attentionOut (B, H, N, M, D), key1, value1 (B, H, N, K, D), key2, value2 (B, H, K, M, D): FLOAT16 or BFLOAT16, one dtype.
 * - attenMaskOptional (B, 1, N, 1, K): BOOL or UINT8, 1 hides a key. softmaxMaxOut, softmaxSumOut: FLOAT (B, H, N, M, 8).
 * A row that sees nothing: 0, with the greatest negative number and the greatest in the statistics. In doubles, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FUSED_FLOYD_ATTENTION_H
#define BELAY_ACLNNOP_ACLNN_FUSED_FLOYD_ATTENTION_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFusedFloydAttention, const aclTensor *query, const aclTensor *key1,
               const aclTensor *value1, const aclTensor *key2, const aclTensor *value2,
               const aclTensor *attenMaskOptional, double scaleValue, aclTensor *softmaxMaxOut,
               aclTensor *softmaxSumOut, aclTensor *attentionOut)
#endif
