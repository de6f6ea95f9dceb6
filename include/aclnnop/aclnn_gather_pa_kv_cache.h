/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads keys and values of sequences out of caches in blocks, one sequence behind the other; they are copied
 * as bits.
 * - keyCache, valueCache: as aclnn_scatter_pa_kv_cache.h has them, with cacheMode "Norm", NULL or "PA_NZ".
 *   blockTables: INT32 (sequences, blocks). seqLens: INT32 or INT64 (sequences), rows of each; with
 *   isSeqLensCumsum (sequences + 1), of which each number and the next are apart by as many rows. seqOffset:
 *   INT32 or INT64 (sequences), rows that come before, whole blocks of which are skipped.
 * - keyRef, valueRef: (rows, ...), the dtype of their cache. Row j of a sequence is row j mod rows of block
 *   blockTables[b][seqOffset[b] / rows + j / rows]; zeros where the table has no such column, or the cache
 *   no such block. Rows behind the last sequence are left alone.
 * Lengths and offsets below 0, or more rows than keyRef has, are a fault of the run. 161002 too: other shapes,
 * other modes. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GATHER_PA_KV_CACHE_H
#define BELAY_ACLNNOP_ACLNN_GATHER_PA_KV_CACHE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGatherPaKvCache, const aclTensor *keyCache, const aclTensor *valueCache,
               const aclTensor *blockTables, const aclTensor *seqLens, aclTensor *keyRef, aclTensor *valueRef,
               const aclTensor *seqOffsetOptional, char *cacheMode, bool isSeqLensCumsum)
#endif
