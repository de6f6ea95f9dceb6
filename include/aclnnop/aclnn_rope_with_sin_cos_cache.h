/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Turns heads of queries and keys by the angles of their tokens' positions, which a cache has.
 * - queryIn (T, Nq * headSize), keyIn (T, Nk * headSize), and outputs like them: FLOAT, FLOAT16 or BFLOAT16,
 *   as cosSinCache (positions, R), R even and at most headSize: R / 2 cosines, then as many sines.
 *   positions: INT32 or INT64 (T), or 3 or 4 for each token, (3, T) or (4, T), with mropeSection, as many
 *   numbers that add up to R / 2: element e of a row's angles is of the axis in whose run it is.
 * - isNeoxStyle: the pairs (a, b) are e and e + R / 2 of each head, else 2e and 2e + 1; they become a cos -
 *   b sin and b cos + a sin, where they were. Elements from R on are copied. In DOUBLE, rounded once.
 * A position that the cache lacks is a fault of the run. 161002 too: other shapes, other sections. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ROPE_WITH_SIN_COS_CACHE_H
#define BELAY_ACLNNOP_ACLNN_ROPE_WITH_SIN_COS_CACHE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRopeWithSinCosCache, const aclTensor *positions, const aclTensor *queryIn,
               const aclTensor *keyIn, const aclTensor *cosSinCache, const aclIntArray *mropeSection,
               int64_t headSize, bool isNeoxStyle, aclTensor *queryOut, aclTensor *keyOut)
#endif
