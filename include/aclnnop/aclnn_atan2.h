/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The angle of the point (other, self), from -pi to pi, as atan2 of C, within 2 ulp. FLOAT, FLOAT16,
 * BFLOAT16, DOUBLE, INT8 to INT64, UINT8 and BOOL, which broadcast and promote together, integers to
 * FLOAT. out is any of these, to which the result is converted.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ATAN2_H
#define BELAY_ACLNNOP_ACLNN_ATAN2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAtan2, const aclTensor *self, const aclTensor *other, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceAtan2, aclTensor *selfRef, const aclTensor *other)
#endif
