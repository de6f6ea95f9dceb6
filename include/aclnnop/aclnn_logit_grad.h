/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * dy / (x (1 - x)), the gradient of aclnnLogit, within 1 ulp: outside of 0 to 1 NaN, or, where eps is 0
 * or more, 0 outside of eps to 1 - eps. FLOAT, FLOAT16 or BFLOAT16, one for all.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LOGIT_GRAD_H
#define BELAY_ACLNNOP_ACLNN_LOGIT_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLogitGrad, const aclTensor *x, const aclTensor *dy, double eps, aclTensor *out)
#endif
