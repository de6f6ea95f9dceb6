/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of each row over the keys that its indices name: out = softmax(scaleValue (q k + qr kr)) v.
 * - query: FLOAT16 or BFLOAT16, key of that dtype, value, as key or of other elements; key if it is absent.
 *   queryRope, keyRope: further elements of each head. Layouts, lengths, blockTable and sparseMode are those
 *   of aclnn_lightning_indexer.h, but keys may have heads that divide those of query.
 * - sparseIndices: INT32, the rows of query, heads of key, and indices: b stands for keys b *
 *   sparseBlockSize and on, of which those count that the row sees; up to the first negative one. A key that
 *   is named twice counts twice.
 * - attentionOut: the shape of query with the elements of value, 0 of rows without keys. softmaxMaxOut,
 *   softmaxSumOut: FLOAT (B, heads of key, S, heads that share it), of TND (heads of key, T, ...): the
 *   greatest score and the sum of exponentials, -FLT_MAX and FLT_MAX of rows without keys; of any shape and
 *   not written unless returnSoftmaxLse.
 * In DOUBLE, rounded once. attentionMode, preTokens and nextTokens change nothing. Lengths and blocks that
 * cannot be are faults of the run. 161002 too: other shapes, layouts, modes. The order of its parameters is
 * known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SPARSE_FLASH_ATTENTION_H
#define BELAY_ACLNNOP_ACLNN_SPARSE_FLASH_ATTENTION_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSparseFlashAttention, const aclTensor *query, const aclTensor *key,
               const aclTensor *valueOptional, const aclTensor *sparseIndices,
               const aclTensor *blockTableOptional, const aclTensor *actualSeqLengthsQueryOptional,
               const aclTensor *actualSeqLengthsKvOptional, const aclTensor *queryRopeOptional,
               const aclTensor *keyRopeOptional, double scaleValue, int64_t sparseBlockSize,
               char *layoutQuery, char *layoutKv, int64_t sparseMode, int64_t preTokens, int64_t nextTokens,
               int64_t attentionMode, bool returnSoftmaxLse, aclTensor *attentionOut,
               aclTensor *softmaxMaxOut, aclTensor *softmaxSumOut)
#endif
