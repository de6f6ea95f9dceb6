/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The queries, keys and values of attention by heads, of a product that has the three side by side, with
 * their bias added, and the queries divided by sqrt(D / numHeads). qkv: FLOAT, FLOAT16 or BFLOAT16 (B, T, 3
 * D); qkvBias: its dtype (3 D); numHeads: 1 or more, a divisor of D; qOut, kOut, vOut: the dtype of qkv (B,
 * numHeads, T, D / numHeads). Each element is computed in DOUBLE and rounded once. Order as torch_npu 2.14
 * passes it. 161002 too: other dims; a qkv whose last dim no 3 * numHeads divides; a qkvBias of another
 * length.
 */
#ifndef BELAY_ACLNNOP_ACLNN_TRANSFORM_BIAS_RESCALE_QKV_H
#define BELAY_ACLNNOP_ACLNN_TRANSFORM_BIAS_RESCALE_QKV_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnTransformBiasRescaleQkv, const aclTensor *qkv, const aclTensor *qkvBias, int64_t numHeads,
               aclTensor *qOut, aclTensor *kOut, aclTensor *vOut)
#endif
