/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnGlu: with s = 1 / (1 + e^-B), gradOut s in the first half and gradOut A s (1 -
 * s) in the second. dim counts from the end where it is negative; its size is even, and half of that in
 * the halves. FLOAT, FLOAT16, BFLOAT16 or DOUBLE, one for all; gradOut has the shape of a half, out
 * that of self. FLOAT and DOUBLE within 2 ulp.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GLU_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_GLU_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGluBackward, const aclTensor *gradOut, const aclTensor *self, int64_t dim, aclTensor *out)
#endif
