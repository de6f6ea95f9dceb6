/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The lesser of each element and a scalar, as aclnnMinimum has it. Floats, INT32 and INT64; beside
 * integers an integer. All tensors have one dtype; tensors with one index have one shape; empty ones
 * are skipped. An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_MINIMUM_SCALAR_V2_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_MINIMUM_SCALAR_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachMinimumScalarV2, const aclTensorList *x, const aclScalar *scalar,
               aclTensorList *out)
#endif
