/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self between clipValueMin and clipValueMax, which are converted to its dtype; NaN stays. FLOAT,
 * FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64 and UINT8, also of the bounds; out has the dtype and shape
 * of self. A clipValueMin above clipValueMax gives clipValueMax.
 */
#ifndef BELAY_ACLNNOP_ACLNN_HARDTANH_H
#define BELAY_ACLNNOP_ACLNN_HARDTANH_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnHardtanh, const aclTensor *self, const aclScalar *clipValueMin,
               const aclScalar *clipValueMax, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceHardtanh, aclTensor *selfRef, const aclScalar *clipValueMin,
               const aclScalar *clipValueMax)
#endif
