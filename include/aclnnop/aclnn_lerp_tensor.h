/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self + weight * (end - self), all three broadcast: self where weight is 0, end where it is 1;
 * infinite ends give NaN. FLOAT, FLOAT16, BFLOAT16 and DOUBLE, one for all tensors. FLOAT and DOUBLE
 * within 1 ulp of the exact value.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LERP_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_LERP_TENSOR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLerp, const aclTensor *self, const aclTensor *end, const aclTensor *weight,
               aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceLerp, aclTensor *selfRef, const aclTensor *end, const aclTensor *weight)
#endif
