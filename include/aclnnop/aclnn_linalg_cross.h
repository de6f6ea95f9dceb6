/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The cross product of the vectors of self and other along dim, which counts in the shape that both broadcast
 * to, from behind where it is negative, and has size 3 there. FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to
 * INT64, UINT8, COMPLEX64 and COMPLEX128, the same of all. Floats are computed in DOUBLE and rounded once;
 * integers wrap.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LINALG_CROSS_H
#define BELAY_ACLNNOP_ACLNN_LINALG_CROSS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLinalgCross, const aclTensor *self, const aclTensor *other, int64_t dim, aclTensor *out)
#endif
