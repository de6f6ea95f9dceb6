/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * ChunkCat: tensors cut into as many pieces along a dim, and pieces of the same number joined.
 *
 * Each of the tensors, FLOAT, FLOAT16 or BFLOAT16 and all alike, has more than dim dims and the same sizes
 * before it. It is filled up with zeros along dim (0 to 6) to a multiple of numChunks, which is 1 or more;
 * its k-th piece, with all dims behind, becomes part of row k. out has the sizes before dim, then numChunks,
 * then the elements of one row; values are cast to its dtype, one of the same three.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CHUNK_CAT_H
#define BELAY_ACLNNOP_ACLNN_CHUNK_CAT_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnChunkCat, const aclTensorList *tensors, int64_t dim, int64_t numChunks, aclTensor *out)

#endif
