/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * 1 / (1 + e^-x) of every element of every tensor of x, as aclnnSigmoid has it. FLOAT, FLOAT16 and
 * BFLOAT16. All tensors have one dtype; tensors with one index have one shape; empty ones are skipped.
 * An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_SIGMOID_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_SIGMOID_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachSigmoid, const aclTensorList *x, aclTensorList *out)
#endif
