/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Interpolation (resampling) along two axes: for each place o the element floor(o ratio) of the input, the
 * last one at most. self and out: FLOAT, FLOAT16, BFLOAT16, DOUBLE or UINT8, the same; self has shape (N, C,
 * H, W), out the same but outputSize, 1 or more, in place of the last sizes. Scales count where they are
 * above 0 and give just outputSize, rounded down: the ratio is then 1 / scale, otherwise that of the sizes.
 * Places are computed in FLOAT.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_2D_V2_H
#define BELAY_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_2D_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnUpsampleNearest2dV2, const aclTensor *self, const aclIntArray *outputSize, float scalesH,
               float scalesW, aclTensor *out)
#endif
