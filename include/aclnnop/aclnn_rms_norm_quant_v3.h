/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A norm as numbers of few bits: y = h / scale + offset, or with divMode false h * scale + offset, of h =
 * x rstd gamma + beta.
 *
 * The parameters are those of aclnnRmsNormQuant; offsetOptional and betaOptional may be NULL.
 * rstdOutOptional: FLOAT, an element for each row, in any shape; NULL, without elements, or with
 * outputRstd false it is not written. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RMS_NORM_QUANT_V3_H
#define BELAY_ACLNNOP_ACLNN_RMS_NORM_QUANT_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRmsNormQuantV3, const aclTensor *x, const aclTensor *gamma, const aclTensor *scale,
               const aclTensor *offsetOptional, const aclTensor *betaOptional, double epsilon, bool divMode,
               bool outputRstd, aclTensor *y, aclTensor *rstdOutOptional)
#endif
