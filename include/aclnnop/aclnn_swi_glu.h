/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A B / (1 + e^-A), A and B being the halves of x along dim. dim counts from the end where it is
 * negative; its size is even, and half of that in the halves. FLOAT, FLOAT16 or BFLOAT16, also of out,
 * which has the shape of a half. FLOAT within 2 ulp.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SWI_GLU_H
#define BELAY_ACLNNOP_ACLNN_SWI_GLU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSwiGlu, const aclTensor *x, int64_t dim, aclTensor *out)
#endif
