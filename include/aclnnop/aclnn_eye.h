/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A matrix of n rows and m columns with 1 where the row is the column, and 0 elsewhere.
 * out has shape {n, m} and is FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 and BOOL, COMPLEX64 or
 * COMPLEX128.
 * 161002 too: n or m below 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_EYE_H
#define BELAY_ACLNNOP_ACLNN_EYE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnEye, int64_t n, int64_t m, aclTensor *out)
#endif
