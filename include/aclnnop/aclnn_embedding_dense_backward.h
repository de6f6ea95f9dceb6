/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * EmbeddingDenseBackward: the gradient of Embedding's matrix.
 *
 *     out[r, k] = sum of grad[..., k] over the positions where indices[...] = r
 *
 * - grad, out: FLOAT, FLOAT16 or BFLOAT16, both the same; out is (numWeights, last size of grad) and is
 *   overwritten
 * - indices: any real dtype but BFLOAT16, without its fraction; as many as grad has rows; 0 to numWeights - 1
 * - paddingIdx: positions with this index take no part; none where it is no row, as 2^64 - 1
 * - scaleGradByFreq: each row is divided by the number of its positions
 *
 * Sums are in doubles, in the row-major order of indices, rounded once.
 * An index that is out of range is found when the work runs: nothing is written then, and the next
 * synchronise of the stream answers 507035 with the tensor, the position and the value. Rules that all
 * functions share are in aclnnop/function.h. Source: the operator's published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_EMBEDDING_DENSE_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_EMBEDDING_DENSE_BACKWARD_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnEmbeddingDenseBackward, const aclTensor *grad, const aclTensor *indices,
               uint64_t numWeights, uint64_t paddingIdx, bool scaleGradByFreq, const aclTensor *out)

#endif
