/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Embedding: the rows of a matrix that indices name.
 *
 *     out[..., k] = weight[indices[...], k]
 *
 * - weight: floats, INT8 to INT64, UINT8, BOOL, complex; rank 2. out: its dtype, indices' dims and then its
 *   last one
 * - indices: INT32 or INT64, any dtype where there are none; at most 7 dims; 0 to the number of rows less 1
 *
 * Elements are copied bit by bit.
 * An index that is out of range is found when the work runs: nothing is written then, and the next
 * synchronise of the stream answers 507035 with the tensor, the position and the value. Rules that all
 * functions share are in aclnnop/function.h. Source: the operator's published contract.
 */
#ifndef BELAY_ACLNNOP_ACLNN_EMBEDDING_H
#define BELAY_ACLNNOP_ACLNN_EMBEDDING_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnEmbedding, const aclTensor *weight, const aclTensor *indices, const aclTensor *out)

#endif
