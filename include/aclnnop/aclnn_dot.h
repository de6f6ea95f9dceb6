/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sum of the products of the elements of two vectors: of floats in DOUBLE, in an order that their number
 * fixes, rounded once; of integers with wrap. Of nothing it is 0.
 *
 * self and tensor: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64 or UINT8, one dtype and one shape of rank
 * 1; out: of that dtype, one element.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DOT_H
#define BELAY_ACLNNOP_ACLNN_DOT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDot, const aclTensor *self, const aclTensor *tensor, aclTensor *out)
#endif
