/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out becomes true where an element of gradient is infinite or NaN, and stays as it is otherwise, in spite of
 * the function's name: whoever calls sets it to false before the first of several calls. gradient: FLOAT,
 * FLOAT16 or BFLOAT16; out: BOOL, one element. Name and order as MindSpore asks for them.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ALL_FINITE_H
#define BELAY_ACLNNOP_ACLNN_ALL_FINITE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAllFinite, const aclTensor *gradient, aclTensor *out)
#endif
