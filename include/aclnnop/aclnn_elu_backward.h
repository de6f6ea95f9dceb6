/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnElu, of its input or of its result v: gradOutput scale where v is above 0 or NaN.
 * Elsewhere gradOutput inputScale alpha scale e^(v inputScale) of an input, gradOutput inputScale (v +
 * alpha scale) of a result.
 * FLOAT, FLOAT16 and BFLOAT16, one dtype for both; the scalars are real ones, read as FLOAT; alpha is 0 or
 * more where isResult is true. gradInput has their shape and any float or complex dtype. FLOAT within 1
 * ulp, 16 bits rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ELU_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_ELU_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnEluBackward, const aclTensor *gradOutput, const aclScalar *alpha, const aclScalar *scale,
               const aclScalar *inputScale, bool isResult, const aclTensor *selfOrResult,
               aclTensor *gradInput)
#endif
