/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether |self - other| <= atol + rtol * |other|, element by element: the difference is exact, the
 * bound in DOUBLE. Equal numbers are close, also infinite ones, which nothing else is close to; NaN is
 * close to NaN where equalNan says so. self and other broadcast and have one dtype: FLOAT, FLOAT16,
 * BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL. out is BOOL.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ISCLOSE_H
#define BELAY_ACLNNOP_ACLNN_ISCLOSE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnIsClose, const aclTensor *self, const aclTensor *other, double rtol, double atol,
               bool equalNan, aclTensor *out)
#endif
