/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self where it is above 0, elsewhere self times the weight of its channel, the index along dim 1:
 * weight has one element, or as many as self has channels. NaN stays. FLOAT, FLOAT16 and BFLOAT16,
 * which promote together; out has the shape of self and a dtype that the result may be cast to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_PRELU_H
#define BELAY_ACLNNOP_ACLNN_PRELU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnPrelu, const aclTensor *self, const aclTensor *weight, aclTensor *out)
#endif
