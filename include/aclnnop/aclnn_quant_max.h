/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x scale as floats of 8 bits, and the greatest size in x.
 * x: FLOAT, FLOAT16 or BFLOAT16; scale: FLOAT, 1 element; dstType: 34, HIFLOAT8, 35, FLOAT8_E5M2, or 36, FLOAT8_E4M3FN, the dtype
 * of y, of the shape of x; roundMode: "rint" or NULL, of HIFLOAT8 "round" or "hybrid", to the nearest, ties away from 0. amax: the
 * dtype of x, 1 element, before scale; NaN once there is one. No further than the dtype's greatest number. 161002 too: on other
 * products than Ascend950.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_MAX_H
#define BELAY_ACLNNOP_ACLNN_QUANT_MAX_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantMax, const aclTensor *x, const aclTensor *scale, char *roundMode, int64_t dstType,
               aclTensor *y, aclTensor *amax)
#endif
