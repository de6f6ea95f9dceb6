/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A / (1 + e^-B), A and B being the halves of self along dim. dim counts from the end where it is
 * negative; its size is even, and half of that in the halves. FLOAT, FLOAT16, BFLOAT16 and DOUBLE; out
 * has the shape of a half and a dtype that the result may be cast to. FLOAT and DOUBLE within 2 ulp.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GLU_H
#define BELAY_ACLNNOP_ACLNN_GLU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGlu, const aclTensor *self, int64_t dim, aclTensor *out)
#endif
