/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The norm of x1 + x2 as numbers of 8 or 4 bits in MX blocks, by the rules of aclnn_rms_norm_dynamic_mx_quant.h.
 * x1, x2 and xOut, the rounded sum: FLOAT, FLOAT16 or BFLOAT16, of one dtype and one shape. The norm is of the sum before it is
 * rounded.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_DYNAMIC_MX_QUANT_H
#define BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_DYNAMIC_MX_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddRmsNormDynamicMxQuant, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *gamma, const aclTensor *betaOptional, double epsilon, int64_t scaleAlg,
               char *roundMode, int64_t dstType, bool outputRstd, aclTensor *yOut, aclTensor *xOut,
               aclTensor *mxscaleOut, aclTensor *rstdOut)
#endif
