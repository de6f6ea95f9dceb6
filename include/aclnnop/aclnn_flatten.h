/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A matrix of the elements of self in row-major order: its rows are the dims in front of axis, its columns
 * axis and those behind it. self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, integers, BOOL or complex; axis: from
 * -rank to rank - 1, negative ones counted from behind, and 0 or -1 of a self without dims; out: the dtype of
 * self, 2 dims. Bits stay as they are.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FLATTEN_H
#define BELAY_ACLNNOP_ACLNN_FLATTEN_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFlatten, const aclTensor *self, int64_t axis, aclTensor *out)
#endif
