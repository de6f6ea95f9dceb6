/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * silu(a) b as numbers of 8 or 4 bits in MX blocks of 32.
 * - x: FLOAT, FLOAT16 or BFLOAT16, of 1 to 7 dims; a and b are its halves along activateDim, activateLeft: a is the left one.
 *   swigluMode 1: a are the even elements, at most clampLimit, b the odd ones, between -clampLimit and it, and
 *   a sigmoid(gluAlpha a) (b + gluBias); activateLeft is true then.
 * - axis: the last dim of what comes out, or the one before, along which blocks are. dstType, roundModeOptional, scaleAlg and
 *   maxDtypeValue: as dstType, roundMode, scaleAlg and dstTypeMax of aclnn_dynamic_mx_quant_v2.h, as are the scales.
 * - groupIndexOptional: INT64, how many rows each group has, with groupMode 1 where it ends; x has 2 dims then. A group begins a
 *   block: along axis 0 that of rows from b on has its first scales at row b / 64 + g of M / 64 + groups; others are 0.
 *   Of rows behind all groups nothing is written. Ends that fall, or more rows than there are, fail the work (507035).
 * In doubles, nothing rounded before the numbers. 161002 too: on other products than Ascend950.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SWIGLU_MX_QUANT_H
#define BELAY_ACLNNOP_ACLNN_SWIGLU_MX_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSwigluMxQuant, const aclTensor *x, const aclTensor *groupIndexOptional,
               int64_t activateDim, bool activateLeft, int64_t swigluMode, double clampLimit, double gluAlpha,
               double gluBias, int64_t groupMode, int64_t axis, int64_t dstType, char *roundModeOptional,
               int64_t scaleAlg, double maxDtypeValue, aclTensor *yOut, aclTensor *mxscaleOut)
#endif
