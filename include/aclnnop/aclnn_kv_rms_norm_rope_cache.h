/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Normalises and turns what latent attention keeps of each token, and writes it to its slots of two caches.
 * - kv: FLOAT16 or BFLOAT16 (batches, 1, rows, Dv + Dk). Its first Dv elements, as many as gamma has, become
 *   y = x / sqrt(mean(x * x) + epsilon) * gamma; the others pairs of neighbours (a, b) turned, a cos - b sin
 *   in the first half of k, b cos + a sin in the second. cos, sin: (batches, 1, rows, Dk), even. gamma, cos,
 *   sin: the dtype of kv.
 * - kCacheRef gets k and cKvCacheRef y: the dtype of kv, or INT8 with kRopeScale, cKvScale and maybe
 *   offsets, FLOAT of as many numbers as a row or of one: number * scale + offset, rounded to the nearest,
 *   ties to even, from -128 to 127.
 * - index: INT64. cacheMode "Norm" or NULL: caches (batches, L, ...), index (batches, rows), which row of
 *   its batch. "PA", "PA_BNSD": caches (blocks, rows, ...), index (batches * rows), slots: row s mod rows of
 *   block s / rows. "PA_NZ": the same in tiles of 32 bytes, as aclnn_scatter_pa_kv_cache.h has them.
 *   "PA_BLK_BNSD", "PA_BLK_NZ": a slot for each whole block of consecutive rows of a batch, where they
 *   begin. A negative slot writes nothing, one beyond the cache is a fault of the run, and of equal ones the
 *   last row stays. A cache may have its one head before its rows too, (batches or blocks, 1, rows, ...).
 * - kRopeOut (batches, 1, rows, Dk), cKvOut (batches, 1, rows, Dv): k and y in the dtype of kv, written with
 *   isOutputKv alone.
 * Everything is computed in DOUBLE and rounded once. 161002 too: other shapes, other modes. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_KV_RMS_NORM_ROPE_CACHE_H
#define BELAY_ACLNNOP_ACLNN_KV_RMS_NORM_ROPE_CACHE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnKvRmsNormRopeCache, const aclTensor *kv, const aclTensor *gamma, const aclTensor *cos,
               const aclTensor *sin, const aclTensor *index, aclTensor *kCacheRef, aclTensor *cKvCacheRef,
               const aclTensor *kRopeScaleOptional, const aclTensor *cKvScaleOptional,
               const aclTensor *kRopeOffsetOptional, const aclTensor *cKvOffsetOptional, double epsilon,
               char *cacheModeOptional, bool isOutputKv, aclTensor *kRopeOut, aclTensor *cKvOut)
#endif
