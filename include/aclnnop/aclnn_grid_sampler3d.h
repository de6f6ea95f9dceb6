/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sampling of volumes at the places of a grid: elements between those that there are. input (N, C, D, H, W),
 * grid (N, Do, Ho, Wo, 3), out (N, C, Do, Ho, Wo): each three numbers of grid are a place, between -1 and 1
 * along each axis, the last one first: place x of n elements is ((x + 1) n - 1) / 2, or with alignCorners (x
 * + 1) (n - 1) / 2, in FLOAT (DOUBLE of DOUBLE). interpolationMode is 0 for the mean of the eight elements
 * around by distance, 1 for the nearest one, the even one of two. paddingMode says what lies beyond: 0 zeros,
 * 1 the element at the border, 2 the elements reflected about the border. A place that is NaN gives 0 with
 * zeros and counts as 0 otherwise. FLOAT, FLOAT16, BFLOAT16 and DOUBLE, the same of all tensors; sums in
 * DOUBLE, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GRID_SAMPLER3D_H
#define BELAY_ACLNNOP_ACLNN_GRID_SAMPLER3D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGridSampler3D, const aclTensor *input, const aclTensor *grid, int64_t interpolationMode,
               int64_t paddingMode, bool alignCorners, aclTensor *out)
#endif
