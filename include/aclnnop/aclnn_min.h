/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The least of all elements: NaN if one of them is, -0 being less than +0, and false than true.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL, with one element at least; out: any
 * of these dtypes, to which the result is cast; one element, () or {1}.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MIN_H
#define BELAY_ACLNNOP_ACLNN_MIN_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMin, const aclTensor *self, aclTensor *out)
#endif
