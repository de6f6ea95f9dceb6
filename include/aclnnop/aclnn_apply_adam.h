/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of Adam, which changes varRef, mRef and vRef, by numbers in tensors:
 *
 *     m = m + (grad - m) (1 - beta1)
 *     v = beta2 v + (1 - beta2) grad^2
 *     n = useNesterov ? beta1 m + (1 - beta1) grad : m
 *     var = var - lr sqrt(1 - beta2Power) / (1 - beta1Power) n / (sqrt(v) + epsilon)
 *
 * in doubles, of which each result is rounded once. varRef, mRef, vRef and grad are FLOAT, FLOAT16 or
 * BFLOAT16, one for all, and have one shape. The six numbers have one element each of any of these dtypes,
 * are read when the work runs and not written: the powers are those with this step. useLocking changes
 * nothing. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_APPLY_ADAM_H
#define BELAY_ACLNNOP_ACLNN_APPLY_ADAM_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnApplyAdam, aclTensor *varRef, aclTensor *mRef, aclTensor *vRef,
               const aclTensor *beta1Power, const aclTensor *beta2Power, const aclTensor *lr,
               const aclTensor *beta1, const aclTensor *beta2, const aclTensor *epsilon,
               const aclTensor *grad, bool useLocking, bool useNesterov)

#endif
