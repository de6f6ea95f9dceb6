/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradOutput times the derivative of gelu at self: Phi(x) + x phi(x) for "none", that of its
 * approximation by tanh for "tanh"; other texts are 161002. At infinities it is 1 and 0. FLOAT, FLOAT16
 * and BFLOAT16, which broadcast and promote together, to the dtype of gradInput. FLOAT within 2 ulp but
 * where the derivative is nearly 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GELU_BACKWARD_V2_H
#define BELAY_ACLNNOP_ACLNN_GELU_BACKWARD_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGeluBackwardV2, const aclTensor *gradOutput, const aclTensor *self, char *approximate,
               aclTensor *gradInput)
#endif
