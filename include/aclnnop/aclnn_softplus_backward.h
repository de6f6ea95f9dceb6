/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnSoftplus: gradOutput where beta self is above threshold, gradOutput / (1 + e^(-beta
 * self)) elsewhere.
 * gradOutput and gradInput are FLOAT, FLOAT16 and BFLOAT16 or DOUBLE, self any real dtype; where
 * gradOutput and self differ they are computed in FLOAT, or in DOUBLE if that is one of them. All have one
 * shape; the scalars are real ones. FLOAT within 1 ulp, DOUBLE within 8 and |beta self|, 16 bits rounded
 * once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SOFTPLUS_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_SOFTPLUS_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSoftplusBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclScalar *beta, const aclScalar *threshold, aclTensor *gradInput)
#endif
