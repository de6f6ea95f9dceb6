/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether each of element equals testElement, or with invert whether it does not. The number is rounded to
 * the dtype of a tensor of floats, NaN equals nothing, and integers are compared with integers exactly;
 * integers beside a number with a fraction as what they promote to. Tensors and numbers: floats, INT8 to
 * INT64, UINT8, BOOL, complex numbers, which are equal where both parts are, and tensors of UINT16; out:
 * BOOL. assumeUnique changes nothing. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_IS_IN_TENSOR_SCALAR_H
#define BELAY_ACLNNOP_ACLNN_IS_IN_TENSOR_SCALAR_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnIsInTensorScalar, const aclTensor *element, const aclScalar *testElement,
               bool assumeUnique, bool invert, aclTensor *out)

#endif
