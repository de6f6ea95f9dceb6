/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The upper triangle of matrices: elements on and above a diagonal, 0 elsewhere.
 * FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 to UINT64, BOOL and, on Ascend950, COMPLEX64; any
 * int64 for the diagonal, 0 being the main one and numbers above it on the right. Bits are copied, and the
 * rest is 0 whatever it was. A self of rank 0 is copied.
 * 161002 too: a self of rank 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_TRIU_H
#define BELAY_ACLNNOP_ACLNN_TRIU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnTriu, const aclTensor *self, int64_t diagonal, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceTriu, aclTensor *selfRef, int64_t diagonal)
#endif
