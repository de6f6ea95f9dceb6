/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Writes the key and the value of each token to its slot of caches in blocks; they are copied as bits.
 * - key (tokens, heads, Dk), value (tokens, heads, Dv): FLOAT, FLOAT16, BFLOAT16, INT8, INT16, INT32, UINT8,
 *   UINT16, UINT32, and floats of 8 bits on Ascend950; each cache has the dtype of its rows. slotMapping:
 *   INT32 or INT64 (tokens). Token t goes to row s mod rows of block s / rows, s = slotMapping[t]. A
 *   negative slot writes nothing, a slot beyond the cache is a fault of the run, and of tokens with one slot
 *   the last stays.
 * - keyCacheRef, valueCacheRef: (blocks, rows, heads, D), rank 3 or more. cacheMode "Norm" or NULL: as they
 *   are. "PA_NZ": in tiles of 32 bytes, of which each block has one for all its rows after the other,
 *   (blocks, heads * D / d, rows, d), (blocks, heads, D / d, rows, d), or any shape that begins with blocks
 *   and rows and has as many elements.
 * - scatterMode "None", "Nct" or NULL, strides of 1 and offsets of 0: rows are views with strides.
 *   compressLens, compressSeqOffset and seqLens must be absent.
 * 161002 too: other shapes, other modes. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SCATTER_PA_KV_CACHE_H
#define BELAY_ACLNNOP_ACLNN_SCATTER_PA_KV_CACHE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnScatterPaKvCache, const aclTensor *key, aclTensor *keyCacheRef,
               const aclTensor *slotMapping, const aclTensor *value, aclTensor *valueCacheRef,
               const aclTensor *compressLensOptional, const aclTensor *compressSeqOffsetOptional,
               const aclTensor *seqLensOptional, char *cacheModeOptional, char *scatterModeOptional,
               const aclIntArray *stridesOptional, const aclIntArray *offsetsOptional)
#endif
