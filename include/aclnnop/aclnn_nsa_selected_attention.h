/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of each row over the blocks of keys that its indices name: out = softmax(scaleValue q
 * k) v.
 * - query (T, N, D), key (T2, heads, D), value (T2, heads, Dv): FLOAT16 or BFLOAT16, one for all;
 *   heads of keys divide N, which headNum is. inputLayout "TND". actualSeqQLen, actualSeqKvLen:
 *   where sequences of rows and of keys end, none before its predecessor.
 * - topkIndices: INT32 (T, heads, selectBlockCount): block i is keys i * selectBlockSize and on of
 *   the row's sequence, up to its end; negative ones, and those that begin behind it, are skipped.
 *   A block that is named twice counts twice. sparseMode 2: row r sees keys up to r + keys - rows,
 *   too; 0: all of the blocks.
 * - softmaxMaxOut, softmaxSumOut: FLOAT (T, N, 8), the greatest score and the sum of exponentials,
 *   eight times; -FLT_MAX and FLT_MAX of rows without keys. attentionOut: (T, N, Dv), 0 there.
 * attenMask is not read. In DOUBLE, rounded once. 161002 too: other shapes, layouts, modes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NSA_SELECTED_ATTENTION_H
#define BELAY_ACLNNOP_ACLNN_NSA_SELECTED_ATTENTION_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNsaSelectedAttention, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *topkIndices, const aclTensor *attenMaskOptional,
               const aclIntArray *actualSeqQLen, const aclIntArray *actualSeqKvLen, double scaleValue,
               int64_t headNum, char *inputLayout, int64_t sparseMode, int64_t selectBlockSize,
               int64_t selectBlockCount, aclTensor *softmaxMaxOut, aclTensor *softmaxSumOut,
               aclTensor *attentionOut)
#endif
