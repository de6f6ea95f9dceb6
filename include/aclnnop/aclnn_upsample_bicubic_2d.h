/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Interpolation (resampling) along two axes by cubics: for each place a sum of four elements along each axis.
 * self and out: FLOAT, FLOAT16 or BFLOAT16, the same; self has shape (N, C, H, W), out the same but
 * outputSize, 1 or more, in place of the last sizes. Place o is at (o + 0.5) ratio - 0.5 of the input; with
 * alignCorners at o (in - 1) / (out - 1). Weights are those of Keys' cubic with the slope -0.75; beyond the
 * border lies the element at the border. Scales count as those of aclnnUpsampleBilinear2d do. All is computed
 * in FLOAT, the last axis first, and rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UPSAMPLE_BICUBIC_2D_H
#define BELAY_ACLNNOP_ACLNN_UPSAMPLE_BICUBIC_2D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnUpsampleBicubic2d, const aclTensor *self, const aclIntArray *outputSize,
               bool alignCorners, double scalesH, double scalesW, aclTensor *out)
#endif
