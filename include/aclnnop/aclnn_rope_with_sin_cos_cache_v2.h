/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Turns heads of queries and keys by the angles of their tokens' positions, by the rules of
 * aclnn_rope_with_sin_cos_cache.h.
 * - cacheMode 0: as there. 1, of 3 positions: element e of the angles is of axis e mod 3 where that is 1 or
 *   2 and e < 3 * mropeSection[e mod 3], else of axis 0.
 * 161002 too: other modes. The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ROPE_WITH_SIN_COS_CACHE_V2_H
#define BELAY_ACLNNOP_ACLNN_ROPE_WITH_SIN_COS_CACHE_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRopeWithSinCosCacheV2, const aclTensor *positions, const aclTensor *queryIn,
               const aclTensor *keyIn, const aclTensor *cosSinCache, const aclIntArray *mropeSection,
               int64_t headSize, bool isNeoxStyle, int64_t cacheMode, aclTensor *queryOut, aclTensor *keyOut)
#endif
