/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The arc cosine of every element of every tensor of x, as aclnnAcos has it. FLOAT, FLOAT16, BFLOAT16
 * and DOUBLE. All tensors have one dtype; tensors with one index have one shape; empty ones are
 * skipped. An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_ACOS_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_ACOS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachAcos, const aclTensorList *x, aclTensorList *out)
#endif
