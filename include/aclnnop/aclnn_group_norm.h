/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Normalisation of groups of channels in each image: of the C channels, which dim 1 of self counts, so many
 * as C / group that follow one another together. out = (self - mean) rstd gamma + beta, rstd = 1 /
 * sqrt(variance + eps), the variance divided by the number of elements.
 *
 * self and out: FLOAT, FLOAT16 or BFLOAT16, one dtype and one shape of rank 2 to 8: dims N and C, and then
 * some with HxW elements together; gamma and beta: of that dtype, C elements along one dim, NULL: 1 and 0;
 * group: a divisor of C; eps: more than 0; meanOut and rstdOut: any of these dtypes, N group elements in any
 * shape, which may overlap one another. HxW = 0: means 0 and rstd NaN. Computed in DOUBLE, sums in an order
 * that the size of a group fixes, rounded once to the dtypes of the outputs.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUP_NORM_H
#define BELAY_ACLNNOP_ACLNN_GROUP_NORM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupNorm, const aclTensor *self, const aclTensor *gamma, const aclTensor *beta,
               int64_t N, int64_t C, int64_t HxW, int64_t group, double eps, aclTensor *out,
               aclTensor *meanOut, aclTensor *rstdOut)
#endif
