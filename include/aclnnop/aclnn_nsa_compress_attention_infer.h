/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of one row for each sequence over compressed keys in pages, and the blocks of keys that
 * have the most of it.
 * - query (B, N, D), with layoutOptional "BSND" (B, 1, N, D); key (pages, pageBlockSize, Nkv D),
 *   value (pages, pageBlockSize, Nkv Dv); output like query, of Dv; topKOutput: INT32 (B, Nkv,
 *   selectBlockCount). FLOAT16 or BFLOAT16, one dtype.
 * - blockTableOptional (B, columns): INT32, the pages of each; actualCmpKvSeqLenOptional: the B
 *   lengths. Both must be given. Masks: NULL.
 * - actualSelKvSeqLenOptional: how many blocks each has; without, those of (length - 1)
 *   compressStride + compressBlockSize keys. Chosen are block 0, the last but one, the last, and
 *   then others by the rule of aclnn_nsa_compress_attention.h. [Known from one source.]
 * A page that is not there fails the work (507035).
 */
#ifndef BELAY_ACLNNOP_ACLNN_NSA_COMPRESS_ATTENTION_INFER_H
#define BELAY_ACLNNOP_ACLNN_NSA_COMPRESS_ATTENTION_INFER_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNsaCompressAttentionInfer, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *attentionMaskOptional,
               const aclTensor *blockTableOptional, const aclIntArray *actualQSeqLenOptional,
               const aclIntArray *actualCmpKvSeqLenOptional, const aclIntArray *actualSelKvSeqLenOptional,
               const aclTensor *topKMaskOptional, int64_t numHeads, int64_t numKeyValueHeads,
               int64_t selectBlockSize, int64_t selectBlockCount, int64_t compressBlockSize,
               int64_t compressStride, double scaleValue, char *layoutOptional, int64_t pageBlockSize,
               int64_t sparseMode, aclTensor *output, aclTensor *topKOutput)
#endif
