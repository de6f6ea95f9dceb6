/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether one of testElements equals element, or with invert whether none does: one element, of rank 0 or 1.
 * The number is rounded to the dtype of a tensor of floats, NaN equals nothing, and integers are compared
 * with integers exactly; integers beside a number with a fraction as what they promote to. Tensors and
 * numbers: floats, INT8 to INT64, UINT8, BOOL, complex numbers, which are equal where both parts are, and
 * tensors of UINT16; out: BOOL. assumeUnique changes nothing. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_IS_IN_SCALAR_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_IS_IN_SCALAR_TENSOR_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnIsInScalarTensor, const aclScalar *element, const aclTensor *testElements,
               bool assumeUnique, bool invert, aclTensor *out)

#endif
