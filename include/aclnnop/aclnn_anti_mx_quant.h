/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of MX blocks as floats: x 2^(scale - 127), of a scale of 255 NaN.
 * x: FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT4_E2M1 or FLOAT4_E1M2, of 1 to 7 dims; mxscale: FLOAT8_E8M0, those of blocks of 32 along
 * axis, laid out as aclnn_dynamic_mx_quant_v2.h says; dstType: 0, FLOAT, 1, FLOAT16, or 27, BFLOAT16, the dtype of y, which has
 * the shape of x. 161002 too: on other products than Ascend950; another shape of mxscale.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ANTI_MX_QUANT_H
#define BELAY_ACLNNOP_ACLNN_ANTI_MX_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAntiMxQuant, const aclTensor *x, const aclTensor *mxscale, int64_t axis, int64_t dstType,
               aclTensor *y)
#endif
