/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor with a value around it.
 * FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 to UINT64, BOOL, COMPLEX64 and COMPLEX128. Bits are
 * copied. pad holds pairs, what is added before and behind, for the last dim first; numbers below 0 crop.
 * value is a scalar of any of these dtypes and is converted to that of self: a complex one is 0 in a real
 * tensor. A self without elements gives an out full of value.
 * 161002 too: an odd number of elements, or pairs for more dims than self has; more cropped than there is;
 * nothing left of one dim while another is added to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CONSTANT_PAD_ND_H
#define BELAY_ACLNNOP_ACLNN_CONSTANT_PAD_ND_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnConstantPadNd, const aclTensor *self, const aclIntArray *pad, const aclScalar *value,
               aclTensor *out)
#endif
