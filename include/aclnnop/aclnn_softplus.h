/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * ln (1 + e^(beta self)) / beta, and self itself where beta self is above threshold.
 * FLOAT, FLOAT16 and BFLOAT16 and DOUBLE; the scalars are real ones, read as FLOAT beside all but DOUBLE.
 * out has the shape of self and any float or complex dtype. FLOAT within 1 ulp, DOUBLE within 8 and |beta
 * self|, 16 bits rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SOFTPLUS_H
#define BELAY_ACLNNOP_ACLNN_SOFTPLUS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSoftplus, const aclTensor *self, const aclScalar *beta, const aclScalar *threshold,
               aclTensor *out)
#endif
