/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The inverse of each of the matrices that the last two dims of self are. FLOAT, FLOAT16 or DOUBLE, also of
 * out, which has self's shape. Elimination with the greatest element of each column as its pivot, in DOUBLE,
 * rounded once. A matrix that has no inverse gives infinities and NaN.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INVERSE_H
#define BELAY_ACLNNOP_ACLNN_INVERSE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnInverse, const aclTensor *self, aclTensor *out)
#endif
