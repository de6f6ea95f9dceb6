/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A scalar to the power of each element, as aclnnPowScalarTensor has it. Floats, INT32 and INT64, which
 * wrap; beside integers an integer. All tensors have one dtype; tensors with one index have one shape;
 * empty ones are skipped. An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_POW_SCALAR_AND_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_POW_SCALAR_AND_TENSOR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachPowScalarAndTensor, const aclScalar *scalar, const aclTensorList *x,
               aclTensorList *out)
#endif
