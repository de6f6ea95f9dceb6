/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Queries, keys and values of tokens, the first two turned, and the last two as INT8 to their rows of caches.
 * - x: (B, S, H) or (B, H), as sizeSplits {heads of query, of key, of value, times D} cuts H; D, which is
 *   even, and the heads of keys and values are those of the caches. FLOAT, FLOAT16, BFLOAT16: as it is. INT32:
 *   times weightScale, FLOAT (H), and activationScale, FLOAT, a number for each token, or 1; plus bias (H),
 *   which is added before where it is INT32, and after where it is FLOAT, FLOAT16 or BFLOAT16.
 * - cos, sin: D elements of each token, one dtype, that of x where x is not INT32. Of each head of query and
 *   key halves are turned: x1 cos - x2 sin, x2 cos + x1 sin.
 * - kCacheRef, vCacheRef: INT8 (B, L, heads, D): value / scale + offset, rounded to the nearest, ties to even,
 *   from -128 to 127. scaleK, scaleV: FLOAT (heads, D); offsets, maybe: of as many numbers, of any of the
 *   dtypes above. cacheMode "contiguous" or NULL: token s of batch b goes to row indices[b] + s of batch b.
 *   "page": token t to row indices[t] of all rows. INT32. A negative index writes nothing, one beyond the
 *   cache is a fault of the run, and of equal ones the last token stays.
 * - qOut, kOut, vOut: the tokens' dims, heads, D; the dtype of cos. kOut and vOut are written with kvOutput
 *   alone, and of any shape otherwise.
 * quantMode "static" or NULL, layout "BSND" or NULL. In DOUBLE, rounded once. 161002 too: other shapes, other
 * modes, scales or bias beside an x that is not INT32.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DEQUANT_ROPE_QUANT_KVCACHE_H
#define BELAY_ACLNNOP_ACLNN_DEQUANT_ROPE_QUANT_KVCACHE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDequantRopeQuantKvcache, const aclTensor *x, const aclTensor *cos, const aclTensor *sin,
               aclTensor *kCacheRef, aclTensor *vCacheRef, const aclTensor *indices, const aclTensor *scaleK,
               const aclTensor *scaleV, const aclTensor *offsetKOptional, const aclTensor *offsetVOptional,
               const aclTensor *weightScaleOptional, const aclTensor *activationScaleOptional,
               const aclTensor *biasOptional, const aclIntArray *sizeSplits, char *quantModeOptional,
               char *layoutOptional, bool kvOutput, char *cacheModeOptional, aclTensor *qOut, aclTensor *kOut,
               aclTensor *vOut)
#endif
