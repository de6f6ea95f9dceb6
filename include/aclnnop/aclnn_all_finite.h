/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * isFinite becomes true where an element of the gradients is infinite or NaN, and stays as it is otherwise,
 * in spite of its name: whoever calls sets it to false before the first of several calls. gradients: FLOAT,
 * FLOAT16 or BFLOAT16, all of one dtype, any number of tensors; isFinite: BOOL, one element. Name and order
 * as MindSpore asks for them.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ALL_FINITE_H
#define BELAY_ACLNNOP_ACLNN_ALL_FINITE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAllFinite, const aclTensorList *gradients, aclTensor *isFinite)
#endif
