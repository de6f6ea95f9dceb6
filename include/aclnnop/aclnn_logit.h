/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * ln(z / (1 - z)), within 1 ulp: z is input, or, where eps is 0 or more, input between eps and 1 - eps,
 * as FLOAT has them. 0 and 1 give infinities, numbers outside NaN. FLOAT, FLOAT16 and BFLOAT16, also of
 * out.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LOGIT_H
#define BELAY_ACLNNOP_ACLNN_LOGIT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLogit, const aclTensor *input, double eps, aclTensor *out)
#endif
