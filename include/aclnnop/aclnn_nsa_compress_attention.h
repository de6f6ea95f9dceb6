/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention over compressed keys, and the blocks of keys that have the most of it.
 * - query (T, N, D), key (K, Nkv, D), value (K, Nkv, Dv), attentionOut (T, N, Dv): FLOAT16 or
 *   BFLOAT16, one dtype; softmaxMaxOut, softmaxSumOut: FLOAT (T, N, 8); topkIndicesOut: INT32 (T,
 *   Nkv, selectBlockCount). inputLayout: "TND".
 * - Lists: where the rows, compressed keys and blocks of sequences end. Masks, BOOL:
 *   attenMaskOptional (rows, keys) hides a key from a row, topkMaskOptional (rows, blocks) has a
 *   block chosen first. sparseMode changes nothing.
 * - A block j has, with m = selectBlockSize / compressStride and n = compressBlockSize /
 *   compressStride, the weights of the keys m (j + 1) - a - c for all a < m, c < n, those of all
 *   heads of a group; the indices are in falling order of that, of the same the lower one first,
 *   and -1 where there are no more.
 * A row that sees nothing: 0, with the greatest negative number and the greatest one in the
 * statistics. In doubles.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NSA_COMPRESS_ATTENTION_H
#define BELAY_ACLNNOP_ACLNN_NSA_COMPRESS_ATTENTION_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNsaCompressAttention, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *attenMaskOptional, const aclTensor *topkMaskOptional,
               const aclIntArray *actualSeqQLen, const aclIntArray *actualCmpSeqKvLen,
               const aclIntArray *actualSelSeqKvLen, double scaleValue, int64_t headNum, char *inputLayout,
               int64_t sparseMode, int64_t compressBlockSize, int64_t compressStride, int64_t selectBlockSize,
               int64_t selectBlockCount, aclTensor *softmaxMaxOut, aclTensor *softmaxSumOut,
               aclTensor *attentionOut, aclTensor *topkIndicesOut)
#endif
