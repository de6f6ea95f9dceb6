/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of windows along a dim: for each element the sum over those that it is in.
 * FLOAT, FLOAT16 and BFLOAT16. inputSizes is the shape of gradIn; gradOut has as many dims and one more: the
 * windows along dim, (S - size) / step + 1 of them, and behind all others the size elements of each. Sums
 * run in the order of the windows, in DOUBLE, and are rounded once; an element in no window is 0.
 * 161002 too: another shape of gradOut; a size below 1 or above that of the dim; a step below 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UNFOLD_GRAD_H
#define BELAY_ACLNNOP_ACLNN_UNFOLD_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnUnfoldGrad, const aclTensor *gradOut, const aclIntArray *inputSizes, int64_t dim,
               int64_t size, int64_t step, const aclTensor *gradIn)
#endif
