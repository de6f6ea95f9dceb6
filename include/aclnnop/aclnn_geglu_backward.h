/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnGeGlu and aclnnGeGluV3: gradOutput gelu in the half that is not activated,
 * gradOutput times that half times the derivative of gelu in the other; gelu is what the forward
 * function gave. dim counts from the end where it is negative; its size is even, and half of that in
 * the halves. approximate as there. FLOAT, FLOAT16 or BFLOAT16, one for all; gradOutput and gelu have
 * the shape of a half, gradInput that of self. FLOAT within 2 ulp but where the derivative is nearly 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GEGLU_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_GEGLU_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGeGluBackward, const aclTensor *gradOutput, const aclTensor *self, const aclTensor *gelu,
               int64_t dim, int64_t approximate, aclTensor *gradInput)
ACLNN_FUNCTION(aclnnGeGluV3Backward, const aclTensor *gradOutput, const aclTensor *self,
               const aclTensor *gelu, int64_t dim, int64_t approximate, bool activateLeft,
               aclTensor *gradInput)
#endif
