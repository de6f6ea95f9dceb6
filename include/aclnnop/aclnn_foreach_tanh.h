/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The hyperbolic tangent of every element of every tensor of x, as aclnnTanh has it. FLOAT, FLOAT16 and
 * BFLOAT16. All tensors have one dtype; tensors with one index have one shape; empty ones are skipped.
 * An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_TANH_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_TANH_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachTanh, const aclTensorList *x, aclTensorList *out)
#endif
