/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self + value * tensor1 / tensor2, all three broadcast. Floats and INT64, which is computed in DOUBLE
 * and loses its fraction; they promote together. value is a real scalar, taken as FLOAT beside 16 bits.
 * out has the shape that they broadcast to and a dtype that the result may be cast to. FLOAT and DOUBLE
 * within 1 ulp of the exact value.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADDCDIV_H
#define BELAY_ACLNNOP_ACLNN_ADDCDIV_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddcdiv, const aclTensor *self, const aclTensor *tensor1, const aclTensor *tensor2,
               const aclScalar *value, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceAddcdiv, aclTensor *selfRef, const aclTensor *tensor1, const aclTensor *tensor2,
               const aclScalar *value)
#endif
