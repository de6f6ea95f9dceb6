/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The least of elements along some dims. NaN where one of them is; -0 is less than +0. The least of BOOL is
 * whether all are true.
 * self: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL; dim: from -rank to rank - 1, each
 * once, an empty array stands for all; keepDim: whether the dims stay, with size 1; out: the dtype of self,
 * and its shape without the dims; () and {1} stand for each other. A result of no elements is refused.
 */
#ifndef BELAY_ACLNNOP_ACLNN_AMIN_H
#define BELAY_ACLNNOP_ACLNN_AMIN_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAmin, const aclTensor *self, const aclIntArray *dim, bool keepDim, aclTensor *out)
#endif
