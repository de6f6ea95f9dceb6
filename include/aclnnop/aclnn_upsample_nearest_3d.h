/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Interpolation (resampling) along three axes: for each place o the element floor(o ratio) of the input, the
 * last one at most. self and out: FLOAT, FLOAT16, BFLOAT16, DOUBLE or UINT8, the same; self has shape (N, C,
 * D, H, W), out the same but outputSize, 1 or more, in place of the last sizes. Scales count where they are
 * above 0 and give just outputSize, rounded down: the ratio is then 1 / scale, otherwise that of the sizes.
 * Places are computed in FLOAT.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_3D_H
#define BELAY_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_3D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnUpsampleNearest3d, const aclTensor *self, const aclIntArray *outputSize, double scalesD,
               double scalesH, double scalesW, aclTensor *out)
#endif
