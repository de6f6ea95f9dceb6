/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor with its last dim continued at both edges: mirrored, without the edge itself.
 * FLOAT, FLOAT16, DOUBLE, INT8 to INT64, UINT8 and BOOL; BFLOAT16, COMPLEX64 and COMPLEX128 not on
 * Ascend910A; UINT16 to UINT64 on Ascend950; bits are copied. self has rank 2 or 3; padding holds 2 numbers,
 * what is added before and behind, for the last dim first; numbers below 0 crop. Of a self without elements
 * only the batch has size 0.
 * 161002 too: a number that is not below the size of its dim; more cropped than there is.
 */
#ifndef BELAY_ACLNNOP_ACLNN_REFLECTION_PAD1D_H
#define BELAY_ACLNNOP_ACLNN_REFLECTION_PAD1D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnReflectionPad1d, const aclTensor *self, const aclIntArray *padding, aclTensor *out)
#endif
