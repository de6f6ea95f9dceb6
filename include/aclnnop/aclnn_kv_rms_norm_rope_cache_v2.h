/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Normalises and turns what latent attention keeps of each token, by the rules of
 * aclnn_kv_rms_norm_rope_cache.h, with values of their own if there are any.
 * - vOptional: the dtype of kv (batches, 1, rows, D). With it kv has rows of gamma's length, which are
 *   normalised as a whole; of these the first elements, as many as cos has, are turned, and kCacheRef and
 *   kRopeOut get all; cKvCacheRef and cKvOut get vOptional as it is, or times cKvScale.
 * The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_KV_RMS_NORM_ROPE_CACHE_V2_H
#define BELAY_ACLNNOP_ACLNN_KV_RMS_NORM_ROPE_CACHE_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnKvRmsNormRopeCacheV2, const aclTensor *kv, const aclTensor *gamma, const aclTensor *cos,
               const aclTensor *sin, const aclTensor *index, aclTensor *kCacheRef, aclTensor *cKvCacheRef,
               const aclTensor *kRopeScaleOptional, const aclTensor *cKvScaleOptional,
               const aclTensor *kRopeOffsetOptional, const aclTensor *cKvOffsetOptional,
               const aclTensor *vOptional, double epsilon, char *cacheModeOptional, bool isOutputKv,
               aclTensor *kRopeOut, aclTensor *cKvOut)
#endif
