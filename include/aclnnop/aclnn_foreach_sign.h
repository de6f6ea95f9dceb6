/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sign of every element of every tensor of x, as aclnnSign has it. Floats, INT32 and INT64. All
 * tensors have one dtype; tensors with one index have one shape; empty ones are skipped. An output may
 * be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_SIGN_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_SIGN_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachSign, const aclTensorList *x, aclTensorList *out)
#endif
