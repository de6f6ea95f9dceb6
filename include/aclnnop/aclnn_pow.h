/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self to the power of exponent, as pow of C. FLOAT and DOUBLE within 1 ulp, exponents 2, 1, 0.5, 0 and -1
 * rounded once; integers wrap, and with a negative exponent give 0 but for 1 and -1. FLOAT, FLOAT16,
 * BFLOAT16, DOUBLE, INT8 to INT64, UINT8 and BOOL, not BOOL with BOOL, COMPLEX64 and COMPLEX128, as
 * e^(exponent log self) but for whole exponents to 16, which are products; a tensor keeps its dtype beside
 * the scalar unless that is of a later kind: BOOL, integer, float. out has a dtype that the result may be
 * cast to. A negative scalar exponent of integers: 161002 on Ascend950.
 */
#ifndef BELAY_ACLNNOP_ACLNN_POW_H
#define BELAY_ACLNNOP_ACLNN_POW_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnPowTensorScalar, const aclTensor *self, const aclScalar *exponent, aclTensor *out)
ACLNN_FUNCTION(aclnnInplacePowTensorScalar, aclTensor *self, const aclScalar *exponent)
ACLNN_FUNCTION(aclnnPowScalarTensor, const aclScalar *self, const aclTensor *exponent, aclTensor *out)
#endif
