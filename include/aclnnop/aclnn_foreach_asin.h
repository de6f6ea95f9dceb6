/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The arc sine of every element of every tensor of x, as aclnnAsin has it. FLOAT, FLOAT16, BFLOAT16 and
 * DOUBLE. All tensors have one dtype; tensors with one index have one shape; empty ones are skipped. An
 * output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_ASIN_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_ASIN_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachAsin, const aclTensorList *x, aclTensorList *out)
#endif
