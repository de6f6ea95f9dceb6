/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of attention over the blocks of keys that indices name, by the rules of
 * aclnn_nsa_selected_attention.h.
 * - attentionOut, softmaxMax, softmaxSum: what that wrote; attentionOutGrad: like attentionOut.
 * - dQueryOut, dKeyOut, dValueOut: like query, key, value; 0 where no row and no key of a sequence
 *   is.
 * In DOUBLE, keys' in the order of rows, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NSA_SELECTED_ATTENTION_GRAD_H
#define BELAY_ACLNNOP_ACLNN_NSA_SELECTED_ATTENTION_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNsaSelectedAttentionGrad, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *attentionOut, const aclTensor *attentionOutGrad,
               const aclTensor *softmaxMax, const aclTensor *softmaxSum, const aclTensor *topkIndices,
               const aclIntArray *actualSeqQLen, const aclIntArray *actualSeqKvLen,
               const aclTensor *attenMaskOptional, double scaleValue, int64_t selectBlockSize,
               int64_t selectBlockCount, int64_t headNum, char *inputLayout, int64_t sparseMode,
               aclTensor *dQueryOut, aclTensor *dKeyOut, aclTensor *dValueOut)
#endif
