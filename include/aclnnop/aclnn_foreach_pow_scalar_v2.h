/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Each element to the power of a scalar, as aclnnPowTensorScalar has it. Floats, INT32 and INT64, which
 * wrap; beside integers an integer. All tensors have one dtype; tensors with one index have one shape;
 * empty ones are skipped. An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_POW_SCALAR_V2_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_POW_SCALAR_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachPowScalarV2, const aclTensorList *x, const aclScalar *scalar, aclTensorList *out)
#endif
