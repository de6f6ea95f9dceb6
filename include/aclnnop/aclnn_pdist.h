/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The distances of each row of self from each of those behind it: n (n - 1) / 2 numbers, in this order. p
 * is that of the norm, 0 or more: 0 counts elements that differ, infinity takes the greatest difference.
 * FLOAT, FLOAT16 or BFLOAT16, also of out; sums in DOUBLE, rounded once. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_PDIST_H
#define BELAY_ACLNNOP_ACLNN_PDIST_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnPdist, const aclTensor *self, float p, aclTensor *out)
#endif
