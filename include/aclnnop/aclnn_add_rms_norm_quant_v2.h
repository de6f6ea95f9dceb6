/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnAddRmsNormQuant with a beta that is added to h, and the norm before that as one output more.
 *
 * betaOptional: NULL, or as gamma; rmsNormOutOptional: NULL, or (x1 + x2) rstd gamma, rounded to the dtype
 * of x1, of its shape. The other parameters are those of aclnnAddRmsNormQuant. Order as torch_npu 2.14
 * passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_QUANT_V2_H
#define BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_QUANT_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddRmsNormQuantV2, const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma,
               const aclTensor *scales1, const aclTensor *scales2Optional,
               const aclTensor *zeroPoints1Optional, const aclTensor *zeroPoints2Optional,
               const aclTensor *betaOptional, int64_t axis, double epsilon, bool divMode, aclTensor *y1,
               aclTensor *y2, aclTensor *xOut, aclTensor *rmsNormOutOptional)
#endif
