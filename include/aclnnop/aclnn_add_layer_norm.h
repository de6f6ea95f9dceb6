/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnLayerNorm of a sum: with s = x1 + x2 + biasOptional, not rounded, yOut = (s - mean) rstd gamma + beta,
 * rstd = 1 / sqrt(variance + epsilon); xOut = s, if additionalOutput is true.
 *
 * x1 and x2: FLOAT, FLOAT16 or BFLOAT16, of one shape; if their dtypes differ one is FLOAT. yOut and xOut:
 * what they promote to, their shape; gamma and beta: FLOAT or that dtype, their shape is that of the last
 * dims of x1, which are a row; biasOptional: so, or of the shape of x1, NULL: 0; meanOut and rstdOut: FLOAT,
 * an element for each row, in any shape; xOut may be NULL where it is not asked for. Computed in DOUBLE, sums
 * in an order that the length of a row fixes, rounded once to the dtypes of the outputs.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADD_LAYER_NORM_H
#define BELAY_ACLNNOP_ACLNN_ADD_LAYER_NORM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddLayerNorm, const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma,
               const aclTensor *beta, const aclTensor *biasOptional, double epsilon, bool additionalOutput,
               const aclTensor *yOut, const aclTensor *meanOut, const aclTensor *rstdOut,
               const aclTensor *xOut)
#endif
