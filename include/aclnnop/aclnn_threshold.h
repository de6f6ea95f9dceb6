/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * value where self is at most threshold, self elsewhere; NaN stays.
 * FLOAT, FLOAT16 and BFLOAT16, DOUBLE, INT8 to INT64 and UINT8; the scalars are real ones and converted to
 * the dtype of self, to FLOAT beside 16 bits. out has the shape of self and any dtype that it may be cast
 * to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_THRESHOLD_H
#define BELAY_ACLNNOP_ACLNN_THRESHOLD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnThreshold, const aclTensor *self, const aclScalar *threshold, const aclScalar *value,
               aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceThreshold, aclTensor *selfRef, const aclScalar *threshold, const aclScalar *value)
#endif
