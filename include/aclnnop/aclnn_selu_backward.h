/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnSelu, of its result: gradOutput scale where that is above 0 or NaN, gradOutput
 * (result + alpha scale) elsewhere.
 * FLOAT, FLOAT16 and BFLOAT16, INT8 and INT32, one dtype and one shape for all; integers are computed in
 * FLOAT and truncated. FLOAT within 1 ulp, 16 bits rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SELU_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_SELU_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSeluBackward, const aclTensor *gradOutput, const aclTensor *result, aclTensor *gradInput)
#endif
