/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self to the power of exponent, as pow of C. FLOAT and DOUBLE within 1 ulp, exponents 2, 1, 0.5, 0 and -1
 * rounded once; integers wrap, and with a negative exponent give 0 but for 1 and -1. FLOAT, FLOAT16,
 * BFLOAT16, DOUBLE, INT8 to INT64, UINT8 and BOOL, not BOOL with BOOL, COMPLEX64 and COMPLEX128, as
 * e^(exponent log self) but for whole exponents to 16, which are products, which broadcast and promote
 * together. out has a dtype that the result may be cast to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_POW_TENSOR_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_POW_TENSOR_TENSOR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnPowTensorTensor, const aclTensor *self, const aclTensor *exponent, aclTensor *out)
ACLNN_FUNCTION(aclnnInplacePowTensorTensor, aclTensor *self, const aclTensor *exponent)
#endif
