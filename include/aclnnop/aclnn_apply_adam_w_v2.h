/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of AdamW, which changes varRef, mRef and vRef, as torch.optim.AdamW takes it:
 *
 *     g = maximize ? -grad : grad                  t = step + 1
 *     var = var (1 - lr weightDecay)
 *     m = m + (g - m) (1 - beta1)
 *     v = beta2 v + (1 - beta2) g^2
 *     w = amsgrad ? (max = max(max, v)) : v
 *     var = var - lr / (1 - beta1^t) m / (sqrt(w) / sqrt(1 - beta2^t) + eps)
 *
 * in doubles, of which each result is rounded once. varRef, mRef and vRef are FLOAT, FLOAT16 or BFLOAT16, one
 * for the three, grad any of these; they have one shape. maxGradNormOptionalRef has that and the dtype of
 * varRef; amsgrad asks for it (161001 where it is NULL then), and without amsgrad what it holds is left
 * alone. step, FLOAT or INT64, has one element, which is read when the work runs and not written: it counts
 * the steps before this one.
 */
#ifndef BELAY_ACLNNOP_ACLNN_APPLY_ADAM_W_V2_H
#define BELAY_ACLNNOP_ACLNN_APPLY_ADAM_W_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnApplyAdamWV2, aclTensor *varRef, aclTensor *mRef, aclTensor *vRef,
               aclTensor *maxGradNormOptionalRef, const aclTensor *grad, const aclTensor *step, float lr,
               float beta1, float beta2, float weightDecay, float eps, bool amsgrad, bool maximize)
#endif
