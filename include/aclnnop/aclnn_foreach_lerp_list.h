/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x1 + weight * (x2 - x1) for each index, as aclnnLerp has it. FLOAT, FLOAT16, BFLOAT16 and DOUBLE. All
 * tensors have one dtype; tensors with one index have one shape; empty ones are skipped. An output may
 * be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_LERP_LIST_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_LERP_LIST_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachLerpList, const aclTensorList *x1, const aclTensorList *x2,
               const aclTensorList *weight, aclTensorList *out)
#endif
