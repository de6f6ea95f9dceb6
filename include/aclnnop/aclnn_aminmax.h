/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The least and the greatest of elements along some dims. NaN where one of them is; of zeros -0 is the least
 * and +0 the greatest.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL; dim: from -rank to rank - 1, each
 * once, all where it is empty; with 1 element or more unless nothing comes out; minOut, maxOut: self's
 * dtype, and its shape without these dims, or with 1 for each if keepDim.
 */
#ifndef BELAY_ACLNNOP_ACLNN_AMINMAX_H
#define BELAY_ACLNNOP_ACLNN_AMINMAX_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnAminmax, const aclTensor *self, const aclIntArray *dim, const bool keepDim,
               aclTensor *minOut, aclTensor *maxOut)

#endif
