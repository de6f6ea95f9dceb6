/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of attention over the blocks of keys that a mask has, by the rules of
 * aclnn_block_sparse_attention.h.
 * - attentionOut, softmaxLse: what that wrote; dOut: like attentionOut.
 * - dQueryOut, dKeyOut, dValueOut: like query, key, value; 0 where no row and no key of a sequence is.
 * In DOUBLE, keys' in the order of rows, rounded once. The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BLOCK_SPARSE_ATTENTION_GRAD_H
#define BELAY_ACLNNOP_ACLNN_BLOCK_SPARSE_ATTENTION_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBlockSparseAttentionGrad, const aclTensor *dOut, const aclTensor *query,
               const aclTensor *key, const aclTensor *value, const aclTensor *attentionOut,
               const aclTensor *softmaxLse, const aclTensor *blockSparseMask,
               const aclTensor *attenMaskOptional, const aclIntArray *blockShape,
               const aclIntArray *actualSeqLengthsOptional, const aclIntArray *actualSeqLengthsKvOptional,
               char *qInputLayout, char *kvInputLayout, int64_t numKeyValueHeads, int64_t maskType,
               double scaleValue, int64_t preTokens, int64_t nextTokens, aclTensor *dQueryOut,
               aclTensor *dKeyOut, aclTensor *dValueOut)
#endif
