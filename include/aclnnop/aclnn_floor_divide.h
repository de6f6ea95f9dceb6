/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The floor of the exact quotient of self and other, rounded once; 0 has its sign. x / 0 is infinite for
 * floats, the largest or smallest number for integers and 0 of 0; an infinite self gives NaN. FLOAT, FLOAT16,
 * BFLOAT16, DOUBLE, INT8 to INT64, UINT8 and BOOL (BOOL as FLOAT), which promote together; beside a scalar
 * floats keep their dtype. out has any real dtype (of FloorDivide a complex one, too), to which the result is
 * converted; on Ascend950 one that it may be cast to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FLOOR_DIVIDE_H
#define BELAY_ACLNNOP_ACLNN_FLOOR_DIVIDE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFloorDivide, const aclTensor *self, const aclTensor *other, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceFloorDivide, aclTensor *selfRef, const aclTensor *other)
ACLNN_FUNCTION(aclnnFloorDivides, const aclTensor *self, const aclScalar *other, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceFloorDivides, aclTensor *selfRef, const aclScalar *other)
#endif
