/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The continuously differentiable exponential linear unit: self above 0, alpha (e^(self / alpha) - 1)
 * elsewhere.
 * FLOAT, FLOAT16 and BFLOAT16; alpha is any real scalar but 0 and NaN, read as FLOAT. out has the shape of
 * self and any float or complex dtype. FLOAT within 1 ulp, 16 bits rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CELU_H
#define BELAY_ACLNNOP_ACLNN_CELU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnCelu, const aclTensor *self, const aclScalar *alpha, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceCelu, aclTensor *selfRef, const aclScalar *alpha)
#endif
