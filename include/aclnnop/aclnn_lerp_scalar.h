/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self + weight * (end - self) with a real scalar as the weight, taken as FLOAT beside 16 bits: self
 * where it is 0, end where it is 1; infinite ends give NaN. self and end broadcast and have one dtype,
 * FLOAT, FLOAT16, BFLOAT16 or DOUBLE; out has any of these. FLOAT and DOUBLE within 1 ulp of the exact
 * value.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LERP_SCALAR_H
#define BELAY_ACLNNOP_ACLNN_LERP_SCALAR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLerps, const aclTensor *self, const aclTensor *end, const aclScalar *weight,
               aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceLerps, aclTensor *selfRef, const aclTensor *end, const aclScalar *weight)
#endif
