/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of few bits of x times a scale, for each element of a dim or for all.
 * x: FLOAT, FLOAT16 or BFLOAT16, of 1 dim or more; scale and offsetOptional, which may be NULL: any of these,
 * as many of both, 1 element, or those of dim axis of x, in one dim or with dims of 1 around them. y = x *
 * scale + offset, with sqrtMode x * scale * scale + offset, in DOUBLE, as a whole number, no further than the
 * ends of its dtype, 0 for NaN. roundModeOptional: "rint", "round" (both to the nearest, ties to even; NULL
 * too), "floor", "ceil" or "trunc". dstType: 2, y is INT8, of the shape of x; 29, INT4, contiguous; 3, INT32
 * of eight INT4 each, the first in the lowest bits, and the last dim of x over 8; with Ascend950 34,
 * HIFLOAT8, 35, FLOAT8_E5M2, and 36, FLOAT8_E4M3FN, no further than the greatest number, roundMode "rint" or "round".
 * 161002 too: other dstType or roundMode, axis that is no dim of x, rows of x that are no whole elements of
 * y. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ASCEND_QUANT_V3_H
#define BELAY_ACLNNOP_ACLNN_ASCEND_QUANT_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAscendQuantV3, const aclTensor *x, const aclTensor *scale,
               const aclTensor *offsetOptional, bool sqrtMode, const char *roundModeOptional, int32_t dstType,
               int32_t axis, aclTensor *y)
#endif
