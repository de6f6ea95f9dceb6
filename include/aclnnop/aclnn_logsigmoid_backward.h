/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnLogSigmoid: gradOutput / (1 + e^self).
 * FLOAT, FLOAT16 and BFLOAT16, one dtype and one shape for all. buffer, what aclnnLogSigmoidForward had,
 * must be given; its dtype and shape are not looked at. FLOAT within 1 ulp, 16 bits rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LOGSIGMOID_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_LOGSIGMOID_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLogSigmoidBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *buffer, aclTensor *gradInput)
#endif
