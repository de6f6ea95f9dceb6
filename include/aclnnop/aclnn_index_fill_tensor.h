/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A copy of a tensor, or the tensor itself, whose slices along a dim that an array names are set to a value.
 * self, selfRef: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 or BOOL; dim: from -rank to rank -
 * 1; index: from -n to n - 1 for a dim of size n; value: real, converted to the dtype of self; out: dtype and
 * shape of self.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INDEX_FILL_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_INDEX_FILL_TENSOR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnIndexFillTensor, const aclTensor *self, int64_t dim, const aclIntArray *index,
               const aclScalar *value, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceIndexFillTensor, aclTensor *selfRef, int64_t dim, const aclIntArray *index,
               const aclScalar *value)
#endif
