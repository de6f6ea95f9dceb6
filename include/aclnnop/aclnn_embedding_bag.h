/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums (mode 0), means (1) or maxima (any other) of rows of weight: row b of output is of the rows that
 * indices from offsets[b] to before offsets[b + 1] name, the last bag of all that is left, or with
 * includeLastOffset to the last offset. Indices that are paddingIdx take no part; a bag without any gives 0.
 * perSampleWeights, with mode 0 alone, has a factor for each index; NULL: 1. bagSize is how many indices
 * counted, offset2bag the bag of each index, maxIndices the row that each maximum came from, the first of
 * equal ones; in other modes it is not looked at. scaleGradByFreq and sparse change nothing. weight (rows,
 * D), output (bags, D), perSampleWeights: FLOAT, FLOAT16 or BFLOAT16, the same; all others INT32 or INT64.
 * Sums in DOUBLE, in the order of the indices, rounded once. An index beyond weight, and offsets that do not
 * begin with 0 and rise, make phase 2 fail before anything is written.
 */
#ifndef BELAY_ACLNNOP_ACLNN_EMBEDDING_BAG_H
#define BELAY_ACLNNOP_ACLNN_EMBEDDING_BAG_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnEmbeddingBag, const aclTensor *weight, const aclTensor *indices, const aclTensor *offsets,
               bool scaleGradByFreq, int64_t mode, bool sparse, const aclTensor *perSampleWeights,
               bool includeLastOffset, int64_t paddingIdx, aclTensor *output, aclTensor *offset2bag,
               aclTensor *bagSize, aclTensor *maxIndices)
#endif
