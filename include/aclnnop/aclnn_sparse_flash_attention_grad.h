/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of attention of each row over the keys that its indices name.
 *     p = e^(scaleValue (q k + qr kr) - softmaxMax) / softmaxSum, ds = p (dOut v - rowsum(dOut out))
 *     dQuery = scaleValue ds k, dKey += scaleValue ds q, dValue += p dOut; so of queryRope and keyRope
 * - query, key, value, sparseIndices, ropes, lengths, sparseBlockSize and sparseMode are those of
 *   aclnn_sparse_flash_attention.h; layout is "BSND" or "TND", of rows and keys alike. out, softmaxMax and
 *   softmaxSum are what it wrote, dOut is like out.
 * - dQueryOut, dKeyOut, dValueOut, dQueryRopeOut, dKeyRopeOut: like query, key, value (key where it is absent),
 *   queryRope, keyRope; rows and keys that take no part have 0. The last two may be NULL, and are of any shape
 *   without ropes. A key that is named twice has both gradients.
 * In DOUBLE, keys' in the order of rows, rounded once. preTokens, nextTokens and deterministic change nothing.
 * Lengths that cannot be are faults of the run. 161002 too: other shapes, layouts, modes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SPARSE_FLASH_ATTENTION_GRAD_H
#define BELAY_ACLNNOP_ACLNN_SPARSE_FLASH_ATTENTION_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSparseFlashAttentionGrad, const aclTensor *query, const aclTensor *key,
               const aclTensor *valueOptional, const aclTensor *sparseIndices, const aclTensor *dOut,
               const aclTensor *out, const aclTensor *softmaxMax, const aclTensor *softmaxSum,
               const aclTensor *actualSeqLengthsQueryOptional, const aclTensor *actualSeqLengthsKvOptional,
               const aclTensor *queryRopeOptional, const aclTensor *keyRopeOptional, double scaleValue,
               int64_t sparseBlockSize, char *layout, int64_t sparseMode, int64_t preTokens,
               int64_t nextTokens, bool deterministic, aclTensor *dQueryOut, aclTensor *dKeyOut,
               aclTensor *dValueOut, aclTensor *dQueryRopeOut, aclTensor *dKeyRopeOut)
#endif
