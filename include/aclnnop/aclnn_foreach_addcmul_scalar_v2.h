/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x1 + scalar * x2 * x3 for each index, as aclnnAddcmul has it. Floats, INT32 and INT64, which wrap; a
 * real scalar, an integer beside integers. All tensors have one dtype; tensors with one index have one
 * shape; empty ones are skipped. An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_ADDCMUL_SCALAR_V2_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_ADDCMUL_SCALAR_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachAddcmulScalarV2, const aclTensorList *x1, const aclTensorList *x2,
               const aclTensorList *x3, const aclScalar *scalar, aclTensorList *out)
#endif
