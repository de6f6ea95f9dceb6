/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnFastGelu: gradOutput s (1 + z (1 - s)) with z = 1.702 self and s = 1 / (1 + e^-z);
 * NaN where self is infinite.
 * FLOAT, FLOAT16 and BFLOAT16, one dtype and one shape for all. FLOAT within 1 ulp, 16 bits rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FAST_GELU_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_FAST_GELU_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFastGeluBackward, const aclTensor *gradOutput, const aclTensor *self,
               aclTensor *gradInput)
#endif
