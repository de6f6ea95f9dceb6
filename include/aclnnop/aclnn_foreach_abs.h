/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The absolute value of every element of every tensor of x, as aclnnAbs has it. Floats, INT32 and
 * INT64. All tensors have one dtype; tensors with one index have one shape; empty ones are skipped. An
 * output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_ABS_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_ABS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachAbs, const aclTensorList *x, aclTensorList *out)
#endif
