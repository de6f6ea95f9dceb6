/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x1 + weight * (x2 - x1) for each index, as aclnnLerps has it. FLOAT, FLOAT16, BFLOAT16 and DOUBLE; a
 * real scalar. All tensors have one dtype; tensors with one index have one shape; empty ones are
 * skipped. An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_LERP_SCALAR_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_LERP_SCALAR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachLerpScalar, const aclTensorList *x1, const aclTensorList *x2,
               const aclScalar *weight, aclTensorList *out)
#endif
