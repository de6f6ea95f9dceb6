/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self between two bounds: the greater of self and clipValueMin, then the lesser of that and clipValueMax,
 * which counts where they are the wrong way around. NaN in self or in a bound gives NaN. One of two bounds
 * may be NULL and bounds nothing then; both are 161001. FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64 and
 * UINT8; Clamp on Ascend950 BOOL too. Bounds that are scalars are converted to the dtype of out, which self
 * may be cast to (on Ascend950 self keeps its dtype beside them unless a float stands beside integers);
 * tensors broadcast and promote with self, and may be BOOL.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CLAMP_H
#define BELAY_ACLNNOP_ACLNN_CLAMP_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnClamp, const aclTensor *self, const aclScalar *clipValueMin,
               const aclScalar *clipValueMax, aclTensor *out)
ACLNN_FUNCTION(aclnnClampMin, const aclTensor *self, const aclScalar *clipValueMin, aclTensor *out)
ACLNN_FUNCTION(aclnnClampMax, const aclTensor *self, const aclScalar *clipValueMax, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceClampMax, aclTensor *selfRef, const aclScalar *clipValueMax)
ACLNN_FUNCTION(aclnnClampTensor, const aclTensor *self, const aclTensor *clipValueMin,
               const aclTensor *clipValueMax, aclTensor *out)
ACLNN_FUNCTION(aclnnClampMinTensor, const aclTensor *self, const aclTensor *clipValueMin, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceClampMinTensor, aclTensor *selfRef, const aclTensor *clipValueMin)
ACLNN_FUNCTION(aclnnClampMaxTensor, const aclTensor *self, const aclTensor *max, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceClampMaxTensor, aclTensor *selfRef, const aclTensor *max)
#endif
