/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor with its last 3 dims continued at both edges: from the other edge on.
 * FLOAT, FLOAT16, BFLOAT16, INT8 and INT32; bits are copied. self has rank 4 or 5; padding holds 6 numbers,
 * what is added before and behind, for the last dim first; numbers below 0 crop. Of a self without elements
 * only the batch has size 0.
 * 161002 too: a number above the size of its dim; more cropped than there is.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CIRCULAR_PAD3D_H
#define BELAY_ACLNNOP_ACLNN_CIRCULAR_PAD3D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnCircularPad3d, const aclTensor *self, const aclIntArray *padding, aclTensor *out)
#endif
