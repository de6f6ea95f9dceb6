/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnHardsigmoid: gradOutput / 6 where self is between -3 and 3, 0 elsewhere and beside
 * NaN.
 * FLOAT, FLOAT16 and BFLOAT16, which promote; out has their shape and any float or complex dtype. Rounded
 * once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_HARDSIGMOID_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_HARDSIGMOID_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnHardsigmoidBackward, const aclTensor *gradOutput, const aclTensor *self, aclTensor *out)
#endif
