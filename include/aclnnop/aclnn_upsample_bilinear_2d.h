/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Interpolation (resampling) along two axes: for each place a mean of the elements beside it, weighted by
 * distance. self and out: FLOAT, FLOAT16, BFLOAT16 or DOUBLE, the same; self has shape (N, C, H, W), out the
 * same but outputSize, 1 or more, in place of the last sizes. Place o is at (o + 0.5) ratio - 0.5 of the
 * input and not below 0; with alignCorners at o (in - 1) / (out - 1). Scales count where they are above 0 and
 * give just outputSize, rounded down: the ratio is then 1 / scale, otherwise that of the sizes. All is
 * computed in FLOAT, of DOUBLE in DOUBLE, the last axis first, and rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UPSAMPLE_BILINEAR_2D_H
#define BELAY_ACLNNOP_ACLNN_UPSAMPLE_BILINEAR_2D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnUpsampleBilinear2d, const aclTensor *self, const aclIntArray *outputSize,
               bool alignCorners, double scalesH, double scalesW, aclTensor *out)
#endif
