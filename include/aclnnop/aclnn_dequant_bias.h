/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of INT32 as floats.
 * x: INT32 (m, n); weightScale: FLOAT, FLOAT16 or BFLOAT16 (n); activateScaleOptional: FLOAT (m), 1 where
 * NULL; biasOptional: (n): with INT32 out = (x + bias) * weightScale * activateScale, with FLOAT, FLOAT16 or
 * BFLOAT16 out = x * weightScale * activateScale + bias, in DOUBLE, rounded once. outputDtype: 1 or 27; out:
 * FLOAT16 or BFLOAT16, as it says.
 * Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DEQUANT_BIAS_H
#define BELAY_ACLNNOP_ACLNN_DEQUANT_BIAS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDequantBias, const aclTensor *x, const aclTensor *weightScale,
               const aclTensor *activateScaleOptional, const aclTensor *biasOptional, int64_t outputDtype,
               aclTensor *out)
#endif
