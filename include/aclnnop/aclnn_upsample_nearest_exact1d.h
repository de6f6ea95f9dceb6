/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Interpolation (resampling) along one axis: for each place o the element floor(max((o + 0.5) ratio - 0.5, 0)
 * + 0.5) of the input, the last one at most. self and out: FLOAT, FLOAT16, BFLOAT16, DOUBLE or UINT8, the
 * same; self has shape (N, C, L), out the same but outputSize, 1 or more, in place of the last sizes. A scale
 * counts where it is above 0 and gives just outputSize, rounded down: the ratio is then 1 / scale, otherwise
 * that of the sizes. Places are computed in FLOAT.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT1D_H
#define BELAY_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT1D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnUpsampleNearestExact1d, const aclTensor *self, const aclIntArray *outputSize,
               double scales, aclTensor *out)
#endif
