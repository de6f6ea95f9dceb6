/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnGridSampler2D: inputGrad is what gradOutput adds to each element of input, gridGrad
 * how the result changes with the numbers of grid, 0 of the nearest element and beyond the border. outputMask
 * says which of the two are computed; one that is not may be NULL. Dtypes and sums as there, in row-major
 * order.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GRID_SAMPLER2D_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_GRID_SAMPLER2D_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGridSampler2DBackward, const aclTensor *gradOutput, const aclTensor *input,
               const aclTensor *grid, int64_t interpolationMode, int64_t paddingMode, bool alignCorners,
               const aclBoolArray *outputMask, aclTensor *inputGrad, aclTensor *gridGrad)
#endif
