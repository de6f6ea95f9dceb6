/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor with its elements shifted along dims, those at the end coming to the beginning.
 * FLOAT, FLOAT16, BFLOAT16, INT8, INT16 (not on Ascend910A), INT32, INT64, UINT8, UINT32, BOOL and, on
 * Ascend950, COMPLEX64; out has the shape and dtype of x. Bits are copied. A dim that is named twice is
 * shifted by both; one shift without dims shifts the elements in row-major order.
 * 161002 too, for an x with elements: dims that there are not, or another number of shifts than of dims.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ROLL_H
#define BELAY_ACLNNOP_ACLNN_ROLL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRoll, const aclTensor *x, const aclIntArray *shifts, const aclIntArray *dims,
               aclTensor *out)
#endif
