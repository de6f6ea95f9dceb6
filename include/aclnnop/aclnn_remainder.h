/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What division by other leaves, with the sign of other: 0 <= |result| < |other|; +0 or -0 as self is.
 * x beside an infinity is x or, of another sign, the infinity; by 0 floats give NaN, integers self.
 * FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 and BOOL, computed together in a float dtype,
 * INT32 or INT64: what promotes to another one is 161002. Beside a scalar a tensor keeps its dtype
 * unless a float stands beside integers; a scalar by a tensor is computed in the dtype of out. out has
 * a dtype that the result may be cast to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_REMAINDER_H
#define BELAY_ACLNNOP_ACLNN_REMAINDER_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRemainderTensorTensor, const aclTensor *self, const aclTensor *other, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceRemainderTensorTensor, aclTensor *selfRef, const aclTensor *other)
ACLNN_FUNCTION(aclnnRemainderTensorScalar, const aclTensor *self, const aclScalar *other, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceRemainderTensorScalar, aclTensor *selfRef, const aclScalar *other)
ACLNN_FUNCTION(aclnnRemainderScalarTensor, const aclScalar *self, const aclTensor *other, aclTensor *out)
#endif
