/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnCdist with respect to x1: to each element of a row a, for each row b of x2, is added
 * grad (|a - b| / cdist)^(p - 1) with the sign of a - b; nothing where a and b agree, where cdist is 0, or p
 * is. For infinite p, which -1 stands for, it is grad with that sign where |a - b|, rounded to the dtype, is
 * cdist. grad and cdist (.., P, R), x1 and out (.., P, M), x2 (.., R, M), whose dims in front broadcast to
 * the others. FLOAT, FLOAT16 or BFLOAT16, the same. Computed in DOUBLE, sums in an order that shapes fix,
 * rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CDIST_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_CDIST_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnCdistBackward, const aclTensor *grad, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *cdist, float p, aclTensor *out)
#endif
