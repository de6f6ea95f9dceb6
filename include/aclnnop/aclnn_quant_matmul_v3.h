/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A product of INT8 or INT4 whose sums are scaled by columns.
 * x1 (.., m, k), x2 (.., k, n), with transposeX1 or transposeX2 (.., k, m) or (.., n, k): INT8, or INT4, which
 * INT32 may hold eight of, 2 to 6 dims, those before the last two broadcast. scale: FLOAT, FLOAT16, BFLOAT16,
 * or 64 bits as aclnnTransQuantParamV2 makes them, 1 element or n. offsetOptional: FLOAT, 1 or n, for out of
 * INT8 alone. biasOptional: (n), (1, n) or (batches, 1, n); INT32 is added to the sums, floats behind the scale.
 * out = (x1 @ x2 + bias) scale + offset: FLOAT, FLOAT16, BFLOAT16, rounded once; INT8, to the nearest, ties to
 * even, no further than its ends; INT32: the sums with the bias, unscaled.
 * 161002 too: shapes that do not fit, an INT4 x1 beside an INT8 x2.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_V3_H
#define BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantMatmulV3, const aclTensor *x1, const aclTensor *x2, const aclTensor *scale,
               const aclTensor *offsetOptional, const aclTensor *biasOptional, bool transposeX1,
               bool transposeX2, aclTensor *out)
#endif
