/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x rstd gamma + beta, rstd = 1 / sqrt(mean of x^2 + epsilon), as numbers of 8 or 4 bits in MX blocks of 32 along the last dim.
 * - x: FLOAT, FLOAT16 or BFLOAT16, of 1 to 7 dims; gamma, betaOptional: that dtype or FLOAT, of the last dims of x, which are
 *   a row.
 * - yOut: of the dtype dstType says and the shape of x; mxscaleOut: a scale for each 32 numbers, a power of two in a byte of
 *   FLOAT8_E8M0, made and laid out as aclnn_dynamic_mx_quant_v2.h says; of an odd number of blocks the last scale is 0.
 * - dstType: 35, FLOAT8_E5M2, 36, FLOAT8_E4M3FN, 40, FLOAT4_E2M1, 41, FLOAT4_E1M2; roundMode: "rint" or NULL, of FLOAT4 also
 *   "round", "floor", "ceil", "trunc". scaleAlg: 0, of FLOAT8 also 1.
 * - rstdOut: FLOAT, one for each row, in any shape; NULL or not looked at without outputRstd.
 * A row with an infinity or NaN has the scales 255 and y 0. Norms are of doubles, rounded once. 161002 too: on other products
 * than Ascend950.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RMS_NORM_DYNAMIC_MX_QUANT_H
#define BELAY_ACLNNOP_ACLNN_RMS_NORM_DYNAMIC_MX_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRmsNormDynamicMxQuant, const aclTensor *x, const aclTensor *gamma,
               const aclTensor *betaOptional, double epsilon, int64_t scaleAlg, char *roundMode,
               int64_t dstType, bool outputRstd, aclTensor *yOut, aclTensor *mxscaleOut, aclTensor *rstdOut)
#endif
