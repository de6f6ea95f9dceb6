/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors of one shape side by side along a new dim.
 * FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 to UINT64, BOOL, COMPLEX64 and COMPLEX128, of rank
 * 0 to 7. Values are cast to the dtype that all promote to and then to that of out, by the rules of
 * aclnnCast; where nothing is cast, bits are copied.
 * 161002 too: an empty list; dim outside -(rank + 1) to rank.
 */
#ifndef BELAY_ACLNNOP_ACLNN_STACK_H
#define BELAY_ACLNNOP_ACLNN_STACK_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnStack, const aclTensorList *tensors, int64_t dim, aclTensor *out)
#endif
