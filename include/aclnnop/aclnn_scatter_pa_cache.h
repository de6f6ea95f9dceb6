/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Writes the key of each token to its slot of a cache in blocks, by the rules of
 * aclnn_scatter_pa_kv_cache.h. The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SCATTER_PA_CACHE_H
#define BELAY_ACLNNOP_ACLNN_SCATTER_PA_CACHE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnScatterPaCache, const aclTensor *key, aclTensor *keyCacheRef,
               const aclTensor *slotMapping, const aclTensor *compressLensOptional,
               const aclTensor *compressSeqOffsetOptional, const aclTensor *seqLensOptional, char *cacheMode)
#endif
