/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greater of x1 and x2 for each index, as aclnnMaximum has it. Floats, INT32 and INT64; beside
 * integers an integer. All tensors have one dtype; tensors with one index have one shape; empty ones
 * are skipped. An output may be its own input.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FOREACH_MAXIMUM_LIST_H
#define BELAY_ACLNNOP_ACLNN_FOREACH_MAXIMUM_LIST_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnForeachMaximumList, const aclTensorList *x1, const aclTensorList *x2, aclTensorList *out)
#endif
