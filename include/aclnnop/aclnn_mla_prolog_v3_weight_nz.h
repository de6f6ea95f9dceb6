/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What comes before latent attention, in one step, by the rules of aclnn_mla_prolog_v2_weight_nz.h; with the
 * latent query and what tells quantised operands apart.
 * - cq is times qcQrScale, what kvCache keeps times kcScale. queryNormOut: cq, the tokens' dims and Hcq, in the
 *   dtype of weightUqQr; where that is INT8 as it is quantised for it, and dequantScaleQNormOut its scale,
 *   FLOAT (T, 1). Either may be NULL or empty: not asked for.
 * - weightQuantMode: 0; 1 where weightUqQr alone is INT8; 2 where tokens and weights are. kvCacheQuantMode: 0;
 *   1 where kvCache alone is INT8; 2 where both caches are. queryQuantMode: 1 beside kvCacheQuantMode 1, else
 *   0. ckvkrRepoMode and quantScaleRepoMode: 0. tileSize changes nothing.
 * - cacheIndex may be NULL with cacheMode "BSND" and "TND". actualSeqLen, INT32: where sequences of (T, He) end,
 *   each of which has blocks of its own with "PA_BLK_BSND" and "PA_BLK_NZ"; without it all are one.
 * - kNopeClipAlpha: NULL. Other modes are 161002.
 * The order of its parameters is known from one source, torch_npu 2.14.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MLA_PROLOG_V3_WEIGHT_NZ_H
#define BELAY_ACLNNOP_ACLNN_MLA_PROLOG_V3_WEIGHT_NZ_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMlaPrologV3WeightNz, const aclTensor *tokenX, const aclTensor *weightDq,
               const aclTensor *weightUqQr, const aclTensor *weightUk, const aclTensor *weightDkvKr,
               const aclTensor *rmsnormGammaCq, const aclTensor *rmsnormGammaCkv, const aclTensor *ropeSin,
               const aclTensor *ropeCos, aclTensor *kvCacheRef, aclTensor *krCacheRef,
               const aclTensor *cacheIndexOptional, const aclTensor *dequantScaleXOptional,
               const aclTensor *dequantScaleWDqOptional, const aclTensor *dequantScaleWUqQrOptional,
               const aclTensor *dequantScaleWDkvKrOptional, const aclTensor *quantScaleCkvOptional,
               const aclTensor *quantScaleCkrOptional, const aclTensor *smoothScalesCqOptional,
               const aclTensor *actualSeqLenOptional, const aclTensor *kNopeClipAlphaOptional,
               double rmsnormEpsilonCq, double rmsnormEpsilonCkv, char *cacheModeOptional,
               int64_t weightQuantMode, int64_t kvCacheQuantMode, int64_t queryQuantMode,
               int64_t ckvkrRepoMode, int64_t quantScaleRepoMode, int64_t tileSize, double qcQrScale,
               double kcScale, const aclTensor *queryOut, const aclTensor *queryRopeOut,
               const aclTensor *dequantScaleQNopeOutOptional, const aclTensor *queryNormOutOptional,
               const aclTensor *dequantScaleQNormOutOptional)
#endif
