/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rotary position embedding by pairs, or by a matrix.
 * - x, out: FLOAT, FLOAT16 or BFLOAT16, rank 3 or 4; cos, sin: that dtype, the shape of x or 1 in dims
 *   before the last. Without rotateOptional: by mode, as aclnn_rotary_position_embedding.h. With it, that
 *   dtype (D, D): x cos + (x rotate) sin, and mode changes nothing. In DOUBLE, rounded once.
 * 161002 too: other shapes, other modes. The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_V2_H
#define BELAY_ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRotaryPositionEmbeddingV2, const aclTensor *x, const aclTensor *cos, const aclTensor *sin,
               int64_t mode, const aclTensor *rotateOptional, aclTensor *out)
#endif
