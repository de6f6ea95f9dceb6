/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Interpolation (resampling) along two axes: for each place o the element floor(max((o + 0.5) ratio - 0.5, 0)
 * + 0.5) of the input, the last one at most. self and out: FLOAT, FLOAT16, BFLOAT16, DOUBLE or UINT8, the
 * same; self has shape (N, C, H, W), out the same but outputSize, 1 or more, in place of the last sizes.
 * Scales count where they are above 0 and give just outputSize, rounded down: the ratio is then 1 / scale,
 * otherwise that of the sizes. Places are computed in FLOAT.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT2D_H
#define BELAY_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT2D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnUpsampleNearestExact2d, const aclTensor *self, const aclIntArray *outputSize,
               double scalesH, double scalesW, aclTensor *out)
#endif
