/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnMoeGatingTopK by its x.
 * xNorm: FLOAT, [rows, experts], outOut of the gate; gradY: FLOAT, FLOAT16 or BFLOAT16, [rows, k]; expertIdx:
 * INT32, [rows, k], numbers of experts, others make the task fail; gradX: the dtype of gradY, [rows,
 * experts]. g = gradY * routedScalingFactor; where the weights w were divided by D, their sum + eps, u = (g -
 * sum of g w / D) / D, else u = g; that is the gradient by s at the k experts, and gradX that times the
 * derivative of s (normType 0: s (u - sum of u s), 1: u s (1 - s), 2: u (1 - e^-s^2) / (2 s)). Computed in
 * DOUBLE, rounded once.
 * 161002 too: renorm outside 0 to 1, normType outside 0 to 2, more elements of gradY in a row than experts.
 * Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_GATING_TOP_K_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_MOE_GATING_TOP_K_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeGatingTopKBackward, const aclTensor *xNorm, const aclTensor *gradY,
               const aclTensor *expertIdx, int64_t renorm, int64_t normType, double routedScalingFactor,
               double eps, aclTensor *gradX)
#endif
