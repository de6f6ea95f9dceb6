/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x1 to the power of x2 for each index, as aclnnPowTensorTensor has it. Floats, INT32 and INT64, which
 * wrap; beside integers an integer. All tensors have one dtype; tensors with one index have one shape;
 * empty ones are skipped. An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_POW_LIST_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_POW_LIST_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachPowList, const aclTensorList *x1, const aclTensorList *x2, aclTensorList *out)
#endif
