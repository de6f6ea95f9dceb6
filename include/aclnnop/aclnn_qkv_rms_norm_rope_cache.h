/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Normalises and turns queries and keys of a product that has them and the values side by side, and writes
 * keys and values to their slots of caches.
 * - qkv: FLOAT16 or BFLOAT16 (tokens, heads * D), qkvSize: batches, rows, heads of all three and D, even;
 *   headNums: heads of each. Heads of queries and keys become x / sqrt(mean(x * x) + epsilon) * gamma,
 *   qGamma and kGamma (D), and their halves (a, b) turned: a cos - b sin, b cos + a sin; cos, sin: (tokens,
 *   D). All of that dtype.
 * - qOut: (tokens, heads * D), that dtype. kCache, vCache: blocks in tiles of 32 bytes, as
 *   aclnn_scatter_pa_kv_cache.h has them with "PA_NZ", the only cacheMode; that dtype, or INT8 with kScale
 *   and vScale and maybe offsets, FLOAT of a number for each element of each head: number / scale + offset,
 *   rounded to the nearest, ties to even, from -128 to 127. index: INT64 (tokens), slots; a negative one
 *   writes nothing, one beyond the cache is a fault of the run, and of equal ones the last token stays.
 * - qOutBeforeQuant, kOutBeforeQuant, vOutBeforeQuant: that dtype (tokens, heads * D), or NULL.
 * In DOUBLE, rounded once. 161002 too: other shapes. The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QKV_RMS_NORM_ROPE_CACHE_H
#define BELAY_ACLNNOP_ACLNN_QKV_RMS_NORM_ROPE_CACHE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQkvRmsNormRopeCache, const aclTensor *qkv, const aclTensor *qGamma,
               const aclTensor *kGamma, const aclTensor *cos, const aclTensor *sin, const aclTensor *index,
               aclTensor *qOut, aclTensor *kCache, aclTensor *vCache, const aclTensor *kScaleOptional,
               const aclTensor *vScaleOptional, const aclTensor *kOffsetOptional,
               const aclTensor *vOffsetOptional, const aclIntArray *qkvSize, const aclIntArray *headNums,
               double epsilon, char *cacheModeOptional, aclTensor *qOutBeforeQuantOptional,
               aclTensor *kOutBeforeQuantOptional, aclTensor *vOutBeforeQuantOptional)
#endif
