/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What numbers would be that had been quantised: q = rint(self / scale) + zeroPoint, out = (q, no less than quantMin and no more
 * than quantMax, - zeroPoint) scale, and mask, whether q was within these.
 * self and out: FLOAT, FLOAT16 or BFLOAT16; scale: FLOAT or FLOAT16, zeroPoint: INT32, 1 element each; mask: BOOL. With
 * fakeQuantEnabled below 1 out = self and mask is true. Of NaN out is NaN, mask false. 161002 too: quantMin above quantMax.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FAKE_QUANT_PER_TENSOR_AFFINE_CACHEMASK_H
#define BELAY_ACLNNOP_ACLNN_FAKE_QUANT_PER_TENSOR_AFFINE_CACHEMASK_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFakeQuantPerTensorAffineCachemask, const aclTensor *self, const aclTensor *scale,
               const aclTensor *zeroPoint, float fakeQuantEnabled, int64_t quantMin, int64_t quantMax,
               aclTensor *out, aclTensor *mask)
#endif
