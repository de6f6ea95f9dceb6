/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers as integers by given scales: out = x / scales + zeroPoints, each step in FLOAT, rounded to the
 * nearest whole number, ties to even, and no further than the dtype goes; 0 for NaN. x: FLOAT, FLOAT16 or
 * BFLOAT16; scales: the same dtypes, one element, or one for each index of axis, in at most 1 dim;
 * zeroPoints: NULL, or as many of INT32, INT8, UINT8, FLOAT or BFLOAT16; dtype: INT8, UINT8 or INT32, which
 * out has; axis: from -rank to rank - 1, not looked at where scales has one element. Order as torch_npu 2.14
 * passes it. 161002 too: another number of scales or zeroPoints.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANTIZE_H
#define BELAY_ACLNNOP_ACLNN_QUANTIZE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantize, const aclTensor *x, const aclTensor *scales, const aclTensor *zeroPoints,
               aclDataType dtype, int32_t axis, aclTensor *out)
#endif
