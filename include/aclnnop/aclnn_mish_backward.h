/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnMish: gradOutput (t + self s (1 - t^2)) with t = tanh(ln (1 + e^self)) and s = 1 /
 * (1 + e^-self); NaN where self is infinite.
 * FLOAT, FLOAT16 and BFLOAT16, which promote and broadcast; gradInput has the shape of the result and any
 * of these dtypes. FLOAT within 1 ulp, 16 bits rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MISH_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_MISH_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMishBackward, const aclTensor *gradOutput, const aclTensor *self, aclTensor *gradInput)
#endif
