/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Interpolation (resampling) along two axes by a triangle, antialiased: where places are further apart than
 * elements the filter is as much wider, so that every element counts. self and out: FLOAT, FLOAT16 or
 * BFLOAT16, the same; self has shape (N, C, H, W), out the same but outputSize, 1 or more, in place of the
 * last sizes. Place o is at c = ratio (o + 0.5), and element i has the weight f((i + 0.5 - c) / max(ratio,
 * 1)), over the sum of all. The ratio is that of the sizes, or with alignCorners (in - 1) / (out - 1); scales
 * count as those of aclnnUpsampleBilinear2d do. All is computed in FLOAT, the last axis first, and rounded
 * once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UPSAMPLE_BILINEAR2D_AA_H
#define BELAY_ACLNNOP_ACLNN_UPSAMPLE_BILINEAR2D_AA_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnUpsampleBilinear2dAA, const aclTensor *self, const aclIntArray *outputSize,
               bool alignCorners, double scalesH, double scalesW, aclTensor *out)
#endif
