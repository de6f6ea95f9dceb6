/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What comes before latent attention, in one step: the queries of tokens, and what caches keep of them.
 *     cq = norm(tokenX weightDq) * gammaCq, (qc, qr) of each head = cq weightUqQr
 *     query = qc weightUk of its head, queryRope = turn(qr)
 *     (c, kr) = tokenX weightDkvKr; kvCache[slot] = norm(c) * gammaCkv, krCache[slot] = turn(kr)
 * with norm(x) = x / sqrt(mean(x * x) + epsilon), and turn as aclnn_kv_rms_norm_rope_cache.h turns pairs.
 * - tokenX: (T, He) or (B, S, He); weightDq (He, Hcq), weightUqQr (Hcq, N (D + Dr)), D then Dr of each head,
 *   weightUk (N, D, Hckv), weightDkvKr (He, Hckv + Dr), gammas (Hcq), (Hckv), ropeSin and ropeCos of the
 *   tokens, Dr elements, which is even. FLOAT16 or BFLOAT16, one for all that is not INT8. Weights may lie in
 *   FRACTAL_NZ.
 * - weightUqQr may be INT8 with dequantScaleWUqQr, FLOAT, a number for each column: cq, times smoothScalesCq
 *   if that was given, is quantised for it, by its greatest size over 127. So may all of tokenX, weightDq,
 *   weightUqQr and weightDkvKr, with dequantScaleX, a number for each token, and a number for each column of
 *   each weight.
 * - Caches: (blocks, rows, 1, Hckv) and (blocks, rows, 1, Dr). Both INT8: each element times its own of
 *   quantScaleCkv and quantScaleCkr; kvCache alone: times the one number of quantScaleCkv, where query
 *   is INT8, too, quantised by head, its scale is dequantScaleQNope (T, N, 1), and queryRope is times
 *   quantScaleCkv / dequantScaleQNope.
 * - cacheMode "PA_BSND" or NULL: cacheIndex has a slot for each token, row s mod rows of block s / rows;
 *   "PA_NZ": the same in tiles of 32 bytes. "PA_BLK_BSND", "PA_BLK_NZ": a block for each whole number of rows
 *   of a batch. "BSND", "TND": the row of the token. A negative slot or block keeps nothing, one beyond the
 *   cache is a fault of the run, and of equal ones the last token stays.
 * - queryOut, queryRopeOut: the tokens' dims, N, and Hckv or Dr. dequantScaleQNopeOut: of any shape, and not
 *   written, in any other case.
 * In DOUBLE, rounded once; qc and a query that is quantised are rounded to the dtype before. 161002 too:
 * other dtypes together, other shapes, scales that are missing or have no use.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MLA_PROLOG_V2_WEIGHT_NZ_H
#define BELAY_ACLNNOP_ACLNN_MLA_PROLOG_V2_WEIGHT_NZ_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMlaPrologV2WeightNz, const aclTensor *tokenX, const aclTensor *weightDq,
               const aclTensor *weightUqQr, const aclTensor *weightUk, const aclTensor *weightDkvKr,
               const aclTensor *rmsnormGammaCq, const aclTensor *rmsnormGammaCkv, const aclTensor *ropeSin,
               const aclTensor *ropeCos, const aclTensor *cacheIndex, aclTensor *kvCacheRef,
               aclTensor *krCacheRef, const aclTensor *dequantScaleXOptional,
               const aclTensor *dequantScaleWDqOptional, const aclTensor *dequantScaleWUqQrOptional,
               const aclTensor *dequantScaleWDkvKrOptional, const aclTensor *quantScaleCkvOptional,
               const aclTensor *quantScaleCkrOptional, const aclTensor *smoothScalesCqOptional,
               double rmsnormEpsilonCq, double rmsnormEpsilonCkv, char *cacheModeOptional,
               const aclTensor *queryOut, const aclTensor *queryRopeOut,
               const aclTensor *dequantScaleQNopeOutOptional)
#endif
