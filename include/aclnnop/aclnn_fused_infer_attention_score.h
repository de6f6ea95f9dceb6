/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention for inference: out = softmax(scaleValue query key^T + pse) value.
 * - inputLayout: BSH, SBH, BSND, BNSD, NSD (one batch), and TND or NTD (rows of all sequences, head,
 *   element); or two joined, the second of which is the output's: BSH_BNSD, BSH_NBSD, BSND_BNSD, BSND_NBSD,
 *   BNSD_BSND, BNSD_NBSD, TND_NTD, NTD_TND. What is said of TND is true of NTD.
 *   numHeads: heads of query; numKeyValueHeads divides them, 0: as many. query, key, value,
 * queryRope and keyRope (more elements of each head): FLOAT, FLOAT16 or BFLOAT16, one of them for all;
 * attentionOut too, in the shape of query with the elements of value.
 * - key, value: lists of one tensor for all batches, or of one for each, with keys of their own.
 * - pse: that dtype or FLOAT16; it broadcasts to batch, head, row, key, or has more rows and keys. Where it is
 *   -infinity in each row, keys at the end are not looked at, as in a cache that is not full yet.
 * - attenMask: BOOL, INT8 or UINT8, what is not 0 is left out; (row, key), (batch, row, key), (batch, head,
 *   row, key), each of them 1 or more than needed; of single rows (batch, key). Without one nothing is.
 *   sparseMode, for row i, key j, o = keys - rows: 0: besides j < i - preTokens and j > i + nextTokens; 1:
 * the mask alone; and without looking into it 2: j > i; 3: j > i + o; 4: j < i + o - preTokens and j > i + o
 * + nextTokens. 1 to 4 need a mask.
 * - actualSeqLengths, actualSeqLengthsKv: rows and keys that take part, one number for all batches or one for
 *   each; other rows are 0. With TND where each sequence ends.
 *   A single row takes part if its length is 1 or more: programs that decode say what came before.
 * - blockTable, INT32 (batch, blocks), with a blockSize: key s of batch b is key s mod blockSize of block
 *   blockTable[b][s / blockSize] of key (blocks, blockSize, H), (blocks, heads, blockSize, D), or in tiles of
 *   32 bytes (blocks, heads, D / d, blockSize, d), and of value and keyRope likewise. With TND
 *   a row for each sequence, or more, and actualSeqLengthsKv has lengths, as many or more. An entry
 * that is no block is a fault of the run. kvPaddingSize, INT64: so many keys of memory follow those that
 * count.
 * - From V2 on key and value may be INT8, or with Ascend950 FLOAT8_E4M3FN, FLOAT8_E5M2 or HIFLOAT8, both the
 *   same, with keyAntiquantScale and valueAntiquantScale, and maybe offsets, FLOAT, FLOAT16 or BFLOAT16,
 *   heads * D numbers in any dims: (number + offset) * scale. Both modes are 0 then.
 * - softmaxLse: FLOAT (batch, head, row, 1), TND (rows, heads, 1): the logarithm of the sum of the scores'
 *   exponentials; not written unless softmaxLseFlag is true, and of any dtype
 *   and shape then.
 * - A row that sees no key is 0 in every innerPrecise, and +inf in softmaxLse.
 * - Other scales and offsets of quantised numbers, shared prefixes and queryPaddingSize must be absent; their
 * modes are not looked at. An optional tensor without elements counts as absent. Scores,
 * exponentials and sums are FLOAT, in blocks of 128 rows and keys and an order that follows from the shapes
 * alone; one rounding to the dtype of the output.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FUSED_INFER_ATTENTION_SCORE_H
#define BELAY_ACLNNOP_ACLNN_FUSED_INFER_ATTENTION_SCORE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFusedInferAttentionScore, const aclTensor *query, const aclTensorList *key,
               const aclTensorList *value, const aclTensor *pseShiftOptional,
               const aclTensor *attenMaskOptional, const aclIntArray *actualSeqLengthsOptional,
               const aclIntArray *actualSeqLengthsKvOptional, const aclTensor *deqScale1Optional,
               const aclTensor *quantScale1Optional, const aclTensor *deqScale2Optional,
               const aclTensor *quantScale2Optional, const aclTensor *quantOffset2Optional,
               const aclTensor *antiquantScaleOptional, const aclTensor *antiquantOffsetOptional,
               const aclTensor *blockTableOptional, const aclTensor *queryPaddingSizeOptional,
               const aclTensor *kvPaddingSizeOptional, int64_t numHeads, double scaleValue, int64_t preTokens,
               int64_t nextTokens, char *inputLayout, int64_t numKeyValueHeads, int64_t sparseMode,
               int64_t innerPrecise, int64_t blockSize, int64_t antiquantMode, bool softmaxLseFlag,
               const aclTensor *attentionOut, const aclTensor *softmaxLse)
#endif
