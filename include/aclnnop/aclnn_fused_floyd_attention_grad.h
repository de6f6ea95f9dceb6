/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnFusedFloydAttention, by the rules of aclnn_fused_floyd_attention.h: softmaxMax, softmaxSum and attentionIn are
 * what it left, dOut has the shape of attentionIn, and each gradient that of its input. Known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FUSED_FLOYD_ATTENTION_GRAD_H
#define BELAY_ACLNNOP_ACLNN_FUSED_FLOYD_ATTENTION_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFusedFloydAttentionGrad, const aclTensor *query, const aclTensor *key1,
               const aclTensor *value1, const aclTensor *key2, const aclTensor *value2, const aclTensor *dOut,
               const aclTensor *attenMaskOptional, const aclTensor *softmaxMax, const aclTensor *softmaxSum,
               const aclTensor *attentionIn, double scaleValue, aclTensor *dQueryOut, aclTensor *dKey1Out,
               aclTensor *dValue1Out, aclTensor *dKey2Out, aclTensor *dValue2Out)
#endif
