/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The inverse of every element of every tensor of x, as aclnnReciprocal has it. FLOAT, FLOAT16,
 * BFLOAT16 and DOUBLE. All tensors have one dtype; tensors with one index have one shape; empty ones
 * are skipped. An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_RECIPROCAL_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_RECIPROCAL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachReciprocal, const aclTensorList *x, aclTensorList *out)
#endif
