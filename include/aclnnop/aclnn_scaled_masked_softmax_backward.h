/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of ScaledMaskedSoftmax: (gradOutput y - y s) scale with s the sum of gradOutput y along the
 * last dim, and 0 where the mask is true.
 * gradOutput, y and out: FLOAT, FLOAT16 or BFLOAT16, one dtype and shape, rank 4. mask: BOOL, broadcasts to
 * them. fixTriuMask must be false. In DOUBLE, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SCALED_MASKED_SOFTMAX_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_SCALED_MASKED_SOFTMAX_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnScaledMaskedSoftmaxBackward, const aclTensor *gradOutput, const aclTensor *y,
               const aclTensor *mask, double scale, bool fixTriuMask, aclTensor *out)
#endif
