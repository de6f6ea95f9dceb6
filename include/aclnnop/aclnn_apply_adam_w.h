/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of AdamW, which changes varRef, mRef and vRef, by numbers in tensors:
 *
 *     g = maximize ? -grad : grad
 *     var = var (1 - lr weightDecay)
 *     m = m + (g - m) (1 - beta1)
 *     v = beta2 v + (1 - beta2) g^2; with amsgrad v = max(maxGradNorm, v)
 *     var = var - lr / (1 - beta1Power beta1) m / (sqrt(v) / sqrt(1 - beta2Power beta2) + eps)
 *
 * in doubles, of which each result is rounded once. varRef, mRef, vRef, grad and maxGradNormOptional are
 * FLOAT, FLOAT16 or BFLOAT16, one for all, and have one shape; amsgrad asks for the last (161001 where it is
 * NULL then), which is not written. The seven numbers have one element each of any of these dtypes, are read
 * when the work runs and not written: the powers are those of the steps before this one.
 */
#ifndef BELAY_ACLNNOP_ACLNN_APPLY_ADAM_W_H
#define BELAY_ACLNNOP_ACLNN_APPLY_ADAM_W_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnApplyAdamW, aclTensor *varRef, aclTensor *mRef, aclTensor *vRef,
               const aclTensor *beta1Power, const aclTensor *beta2Power, const aclTensor *lr,
               const aclTensor *weightDecay, const aclTensor *beta1, const aclTensor *beta2,
               const aclTensor *eps, const aclTensor *grad, const aclTensor *maxGradNormOptional,
               bool amsgrad, bool maximize)

#endif
