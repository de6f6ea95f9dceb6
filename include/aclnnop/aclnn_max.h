/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest of all elements: NaN if one of them is, +0 being greater than -0, and true than false.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL, with one element at least; out: any
 * of these dtypes, to which the result is cast; one element, () or {1}.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MAX_H
#define BELAY_ACLNNOP_ACLNN_MAX_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMax, const aclTensor *self, aclTensor *out)
#endif
