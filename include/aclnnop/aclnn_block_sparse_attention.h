/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of blocks of rows over the blocks of keys that a mask has: out = softmax(scaleValue q k) v.
 * - query, key, value: FLOAT16 or BFLOAT16, one for all; qInputLayout and kvInputLayout "BNSD" (batch, head, row,
 *   element) or "TND" (row, head, element), both alike. Heads of keys, which numKeyValueHeads is, divide those of
 *   query. actualSeqLengths, actualSeqLengthsKv: rows and keys of each sequence, not ends; all of BNSD where they
 *   are absent.
 * - blockSparseMask: INT8, UINT8 or BOOL (sequences, heads of query, blocks of rows, blocks of keys), where not 0
 *   the block is computed. blockShape: rows and keys of a block.
 * - attentionOut: like query with the elements of value, 0 of rows without keys. softmaxLse: FLOAT, the dims of
 *   query and 1, the logarithm of the sum of exponentials, +inf of rows without keys; not written, and of any
 *   shape, where softmaxLseFlag is 0.
 * attenMask and blockTable: NULL; maskType: 0. innerPrecise, blockSize, preTokens and nextTokens change nothing.
 * In DOUBLE, rounded once. The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BLOCK_SPARSE_ATTENTION_H
#define BELAY_ACLNNOP_ACLNN_BLOCK_SPARSE_ATTENTION_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBlockSparseAttention, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *blockSparseMask, const aclTensor *attenMaskOptional,
               const aclIntArray *blockShape, const aclIntArray *actualSeqLengthsOptional,
               const aclIntArray *actualSeqLengthsKvOptional, const aclTensor *blockTableOptional,
               char *qInputLayout, char *kvInputLayout, int64_t numKeyValueHeads, int64_t maskType,
               double scaleValue, int64_t innerPrecise, int64_t blockSize, int64_t preTokens,
               int64_t nextTokens, int64_t softmaxLseFlag, aclTensor *attentionOut,
               aclTensor *softmaxLseOptional)
#endif
