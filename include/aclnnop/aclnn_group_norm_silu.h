/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnGroupNorm and then SiLU: out = z / (1 + e^-z) with z = (self - mean) rstd gamma + beta, not rounded
 * before.
 *
 * self and out: FLOAT, FLOAT16 or BFLOAT16, one dtype and one shape of rank 2 to 8, of which dim 1 counts
 * channels; gamma and beta: FLOAT or that dtype, as many elements as channels along one dim, NULL: 1 and 0;
 * group: a divisor of their number; eps: more than 0; meanOut and rstdOut: any of these dtypes, an element
 * for each group of each image, in any shape. Computed in DOUBLE, sums in an order that the size of a group
 * fixes, rounded once to the dtypes of the outputs.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUP_NORM_SILU_H
#define BELAY_ACLNNOP_ACLNN_GROUP_NORM_SILU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupNormSilu, const aclTensor *self, const aclTensor *gamma, const aclTensor *beta,
               int64_t group, double eps, aclTensor *out, aclTensor *meanOut, aclTensor *rstdOut)
#endif
