/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The exponential linear unit: scale self above 0, alpha scale (e^(inputScale self) - 1) elsewhere.
 * FLOAT, FLOAT16 and BFLOAT16 and DOUBLE; the scalars are real ones, read as FLOAT beside all but DOUBLE.
 * out has the shape of self and any float or complex dtype. FLOAT within 1 ulp, DOUBLE within 8, 16 bits
 * rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ELU_H
#define BELAY_ACLNNOP_ACLNN_ELU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnElu, const aclTensor *self, const aclScalar *alpha, const aclScalar *scale,
               const aclScalar *inputScale, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceElu, aclTensor *selfRef, const aclScalar *alpha, const aclScalar *scale,
               const aclScalar *inputScale)
#endif
