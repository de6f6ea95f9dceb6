/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The last window of each sequence, where one ends with it, into a slot of a cache, in place: of a
 * length L of compressBlockSize or more, if L - compressBlockSize is a multiple of compressStride.
 * - input (pages, pageBlockSize, N, D), weight (compressBlockSize, N), outputCacheRef (.., N, D), a
 *   slot for each (N, D): FLOAT16 or BFLOAT16, one dtype.
 * - slotMapping (B): INT32 or INT64; a negative one writes nothing, of one named twice the last
 *   sequence stays. actSeqLenOptional: the B lengths (actSeqLenType 1); blockTableOptional (B,
 *   columns): INT32, the pages of each. Both must be given.
 * A slot or page that is not there fails the work (507035). Sums are in doubles, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NSA_COMPRESS_WITH_CACHE_H
#define BELAY_ACLNNOP_ACLNN_NSA_COMPRESS_WITH_CACHE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNsaCompressWithCache, const aclTensor *input, const aclTensor *weight,
               const aclTensor *slotMapping, const aclIntArray *actSeqLenOptional,
               const aclTensor *blockTableOptional, char *layoutOptional, int64_t compressBlockSize,
               int64_t compressStride, int64_t actSeqLenType, int64_t pageBlockSize,
               aclTensor *outputCacheRef)
#endif
