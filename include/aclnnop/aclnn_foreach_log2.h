/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The logarithm to base 2 of every element of every tensor of x, as aclnnLog2 has it. FLOAT, FLOAT16,
 * BFLOAT16 and DOUBLE. All tensors have one dtype; tensors with one index have one shape; empty ones
 * are skipped. An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_LOG2_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_LOG2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachLog2, const aclTensorList *x, aclTensorList *out)
#endif
