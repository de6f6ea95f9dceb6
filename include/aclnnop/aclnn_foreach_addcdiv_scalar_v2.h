/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x1 + scalar * x2 / x3 for each index, as aclnnAddcdiv has it. FLOAT, FLOAT16, BFLOAT16 and DOUBLE; a
 * real scalar. All tensors have one dtype; tensors with one index have one shape; empty ones are
 * skipped. An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_ADDCDIV_SCALAR_V2_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_ADDCDIV_SCALAR_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachAddcdivScalarV2, const aclTensorList *x1, const aclTensorList *x2,
               const aclTensorList *x3, const aclScalar *scalar, aclTensorList *out)
#endif
