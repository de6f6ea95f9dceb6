/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The grid of places that a matrix moves, for aclnnGridSampler2D and 3D: theta (N, 2, 3) with size (N, C, H,
 * W) gives out (N, H, W, 2), theta (N, 3, 4) with (N, C, D, H, W) out (N, D, H, W, 3): theta times the
 * coordinates of the place, the last axis first, and 1. Coordinate k of n is (2 k + 1 - n) / n, or with
 * alignCorners (2 k + 1 - n) / (n - 1), 0 of one. FLOAT, FLOAT16 and BFLOAT16, also of out; in DOUBLE,
 * rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_AFFINE_GRID_H
#define BELAY_ACLNNOP_ACLNN_AFFINE_GRID_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAffineGrid, const aclTensor *theta, const aclIntArray *size, bool alignCorners,
               aclTensor *out)
#endif
