/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor with the elements of some dims in the opposite order.
 * FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 and BOOL, COMPLEX64 and COMPLEX128; out has the
 * shape and dtype of self. Bits are copied. Of rank 0 dims is not looked at.
 * 161002 too: a dim that there is not, or one twice.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FLIP_H
#define BELAY_ACLNNOP_ACLNN_FLIP_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFlip, const aclTensor *self, const aclIntArray *dims, aclTensor *out)
#endif
