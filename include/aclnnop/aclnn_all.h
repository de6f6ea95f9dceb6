/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether all elements along some dims are true, that is, not 0: NaN is true, -0 is not. Of nothing: true.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL; dim: from -rank to rank - 1, each
 * once, all where it is empty; out: BOOL or UINT8, self without these dims, or with 1 for each if keepdim.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ALL_H
#define BELAY_ACLNNOP_ACLNN_ALL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAll, const aclTensor *self, const aclIntArray *dim, bool keepdim, aclTensor *out)
#endif
