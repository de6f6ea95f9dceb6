/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of rotary position embedding (aclnn_rotary_position_embedding.h): of x, cos and sin.
 * Of a pair (a, b) with angles c, s and gradients p, q of its two results: (p c1 + q s2, q c2 - p s1);
 * dcos = dy x, or what x was put in the place of, and dsin = dy r(x), both summed over the dims that cos has
 * 1 in. dx has dtype and shape of dy, dcos and dsin those of cos and sin. Without x, or where one of them is
 * NULL, dcos and dsin are not written. In DOUBLE, in a fixed order, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_GRAD_H
#define BELAY_ACLNNOP_ACLNN_ROTARY_POSITION_EMBEDDING_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRotaryPositionEmbeddingGrad, const aclTensor *dy, const aclTensor *cos,
               const aclTensor *sin, const aclTensor *xOptional, int64_t mode, const aclTensor *dxOut,
               const aclTensor *dcosOut, const aclTensor *dsinOut)
#endif
