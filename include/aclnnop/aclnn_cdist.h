/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The distance (sum of |a - b|^p)^(1/p) of each row a of x1 from each row b of x2; p = 0 counts what differs,
 * infinite p takes the greatest difference. x1 (.., P, M), x2 (.., R, M), out (.., P, R): the dims in front
 * broadcast, at most 5 of them. FLOAT, FLOAT16 or BFLOAT16, the same. p is 0 or more; compute_mode changes
 * nothing. Computed in DOUBLE, sums in an order that shapes fix, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CDIST_H
#define BELAY_ACLNNOP_ACLNN_CDIST_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnCdist, const aclTensor *x1, const aclTensor *x2, float p, int64_t compute_mode,
               aclTensor *out)
#endif
