/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self + value * tensor1 * tensor2, all three broadcast. Floats, INT8, INT32, INT64 and UINT8, which
 * wrap; they promote together, to no INT16. value is a real scalar, taken as FLOAT beside 16 bits,
 * without its fraction beside integers. out has the shape that they broadcast to and a dtype that the
 * result may be cast to. FLOAT and DOUBLE within 1 ulp of the exact value.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADDCMUL_H
#define BELAY_ACLNNOP_ACLNN_ADDCMUL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddcmul, const aclTensor *self, const aclTensor *tensor1, const aclTensor *tensor2,
               const aclScalar *value, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceAddcmul, aclTensor *selfRef, const aclTensor *tensor1, const aclTensor *tensor2,
               const aclScalar *value)
#endif
