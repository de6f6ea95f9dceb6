/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of the elements up to each along a dim, multiplied one after the other: floats in doubles, each
 * product rounded once; integers wrap.
 * input: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 to UINT64, cast to dtype first; dim: INT32
 * or INT64, from -rank to rank - 1; dtype: one of these, or ACL_DT_UNDEFINED for out's; out: dtype, input's
 * shape. InplaceCumprod: input is out.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CUMPROD_H
#define BELAY_ACLNNOP_ACLNN_CUMPROD_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnCumprod, const aclTensor *input, const aclScalar *dim, const aclDataType dtype,
               aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceCumprod, aclTensor *input, const aclScalar *dim)

#endif
