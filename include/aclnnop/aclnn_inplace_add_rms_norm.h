/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnAddRmsNorm in place: x2Ref becomes x1 + x2, rounded to their dtype, x1Ref its norm.
 *
 * x1Ref, x2Ref: one dtype of FLOAT, FLOAT16 and BFLOAT16, one shape; gamma: FLOAT or that dtype, of the
 * last dims of x1Ref, or [1, last dim]; rstdOut: FLOAT, 1 / sqrt(mean of x2Ref^2 + epsilon), an element
 * for each row, in any shape; without elements it is not written. In DOUBLE, sums in an order that the
 * length of a row fixes. Order as published; no caller was seen.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INPLACE_ADD_RMS_NORM_H
#define BELAY_ACLNNOP_ACLNN_INPLACE_ADD_RMS_NORM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnInplaceAddRmsNorm, aclTensor *x1Ref, aclTensor *x2Ref, const aclTensor *gamma,
               double epsilon, aclTensor *rstdOut)
#endif
