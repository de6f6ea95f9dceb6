/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnSwiGlu: with s = 1 / (1 + e^-A), yGrad B s (1 + A (1 - s)) in the first half and
 * yGrad A s in the second. dim counts from the end where it is negative; its size is even, and half of
 * that in the halves. FLOAT, FLOAT16 or BFLOAT16, one for all; yGrad has the shape of a half, out that
 * of x. FLOAT within 2 ulp.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SWI_GLU_GRAD_H
#define BELAY_ACLNNOP_ACLNN_SWI_GLU_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSwiGluGrad, const aclTensor *yGrad, const aclTensor *x, int64_t dim, aclTensor *out)
#endif
