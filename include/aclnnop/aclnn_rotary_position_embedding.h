/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rotary position embedding: out = x cos + r(x) sin along the last dim.
 * mode 0: r of the halves (x1, x2) is (-x2, x1); 1: of each two neighbours (a, b) it is (-b, a); 2: of the
 * quarters it is (-x2, x1, -x4, x3); 3: with e the elements at even places and o the others,
 * out = (e, o) cos + (-o, e) sin. The last dim is even, with mode 2 a multiple of 4.
 * FLOAT, FLOAT16 and BFLOAT16 that promote; out has the dtype of x. x: rank 3 or 4; cos and sin: like x, or 1
 * in dims before the last. In DOUBLE, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_H
#define BELAY_ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRotaryPositionEmbedding, const aclTensor *x, const aclTensor *cos, const aclTensor *sin,
               int64_t mode, aclTensor *out)
#endif
