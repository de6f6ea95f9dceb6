/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of silu(a) b as numbers of 8 or 4 bits in MX blocks of 32, along the last dim in y1Out and along the one
 * before in y2Out.
 * x: FLOAT, FLOAT16 or BFLOAT16, of 2 to 7 dims; a and b are the halves of its last dim, activateLeft: a is the left one; yGrad:
 * that dtype, half as long. What comes out has the shape of x: the gradient of a stands where a does. In doubles, not rounded
 * before the numbers. The rest is as aclnn_swiglu_mx_quant_with_dual_axis.h says.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SWIGLU_BACKWARD_MX_QUANT_WITH_DUAL_AXIS_H
#define BELAY_ACLNNOP_ACLNN_SWIGLU_BACKWARD_MX_QUANT_WITH_DUAL_AXIS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSwigluBackwardMxQuantWithDualAxis, const aclTensor *x, const aclTensor *yGrad,
               const aclTensor *groupIndexOptional, bool activateLeft, char *roundModeOptional,
               int64_t scaleAlg, int64_t dstType, double maxDtypeValue, aclTensor *y1Out,
               aclTensor *mxscale1Out, aclTensor *y2Out, aclTensor *mxscale2Out)
#endif
