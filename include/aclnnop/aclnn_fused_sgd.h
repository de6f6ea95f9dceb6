/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of SGD of each tensor of a list, as torch.optim.SGD takes it with fused=True:
 *
 *     g = grad / gradScale, or grad without one; g = maximize ? -g : g; g = g + weightDecay param
 *     momentum not 0: b = isFirstStep ? g : momentum b + (1 - dampening) g; g = nesterov ? g + momentum b : b
 *     param = param - lr g
 *
 * in doubles, of which each result is rounded once. The lists have one length, and tensors with one index
 * one shape; those of a list have one dtype, FLOAT, FLOAT16 or BFLOAT16. momentumBuffers are b, which
 * momentum asks for (161001 where they are NULL then); otherwise their list is not looked at. gradScale is
 * NULL or FLOAT of one element, which is read when the work runs. Empty tensors are skipped. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FUSED_SGD_H
#define BELAY_ACLNNOP_ACLNN_FUSED_SGD_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnFusedSgd, aclTensorList *params, const aclTensorList *grads,
               aclTensorList *momentumBuffers, const aclTensor *gradScale, float weightDecay, float momentum,
               float lr, float dampening, bool nesterov, bool maximize, bool isFirstStep)

#endif
