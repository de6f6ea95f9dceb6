/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self ln(other), but 0 where self is 0 and other is not NaN. FLOAT and DOUBLE within 2 ulp. FLOAT, FLOAT16,
 * BFLOAT16, DOUBLE, INT8 to INT64, UINT8 and BOOL, which promote; integers and BOOL are computed in FLOAT. A
 * tensor keeps its dtype beside a scalar unless that is of a later kind: BOOL, integer, float. out has a
 * dtype that the result may be cast to. The order of the arguments is that in which torch_npu 2.14 passes
 * them.
 */
#ifndef BELAY_ACLNNOP_ACLNN_XLOGY_H
#define BELAY_ACLNNOP_ACLNN_XLOGY_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnXLogYTensor, const aclTensor *self, const aclTensor *other, aclTensor *out)
ACLNN_FUNCTION(aclnnXLogYScalarSelf, const aclScalar *self, const aclTensor *other, aclTensor *out)
ACLNN_FUNCTION(aclnnXLogYScalarOther, const aclTensor *self, const aclScalar *other, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceXLogYTensor, aclTensor *selfRef, const aclTensor *other)
ACLNN_FUNCTION(aclnnInplaceXLogYScalarOther, aclTensor *selfRef, const aclScalar *other)
#endif
