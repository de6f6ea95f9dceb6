/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * h = silu(a) b weight as floats of 8 bits, on Ascend950; a is the left half of a row of x, b the right one.
 * - x: FLOAT, FLOAT16 or BFLOAT16, of 1 to 7 dims, the last one 2 N; weightOptional: FLOAT, one for each row; with clampLimit above
 *   0 a is no more than it, and b between its negative and it.
 * - groupIndexOptional: INT64, how many rows each group has; of rows behind them nothing is written.
 * - quantMode 0: yScaleOut FLOAT (.., N / 128 rounded up), the greatest finite size of each 128, at least 1e-4, over the greatest
 *   number of dstType, with roundScale rounded up to a power of two; yOut = h / scale.
 * - quantMode 1: MX blocks of 32 with yScaleOut FLOAT8_E8M0 (.., N / 64 rounded up, 2), scaleAlg 1 of such a size.
 * - quantMode 2: yOut = h scaleOptional, FLOAT, one for each group; yScaleOut is not looked at. quantMode 3: yScaleOut FLOAT, for each
 *   group (or all rows) the greatest size, at least 1e-8, over dstTypeMax; yOut = h / scale.
 * - dstType: 35, FLOAT8_E5M2, or 36, FLOAT8_E4M3FN, of modes 0 and 1; 34, HIFLOAT8, of modes 2 and 3. yOriginOut: h in the dtype of x,
 *   with outputOrigin; not looked at without. blockSize changes nothing.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SWIGLU_GROUP_QUANT_H
#define BELAY_ACLNNOP_ACLNN_SWIGLU_GROUP_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSwigluGroupQuant, const aclTensor *x, const aclTensor *weightOptional,
               const aclTensor *groupIndexOptional, const aclTensor *scaleOptional, int64_t dstType,
               int64_t quantMode, int64_t blockSize, bool roundScale, double clampLimit, double dstTypeMax,
               bool outputOrigin, aclTensor *yOut, aclTensor *yScaleOut, aclTensor *yOriginOut)
#endif
