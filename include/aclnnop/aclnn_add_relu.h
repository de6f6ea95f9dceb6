/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self + alpha * other where that is above 0, else 0; NaN stays. The two broadcast and promote; FLOAT,
 * FLOAT16, BFLOAT16 or DOUBLE, rounded once, or INT8 to INT64 and UINT8, whose sum wraps before it is
 * compared with 0. alpha is of a dtype that may become the computed one; out has a dtype that the result may
 * be cast to. The second form has selfRef for self and out. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADD_RELU_H
#define BELAY_ACLNNOP_ACLNN_ADD_RELU_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddRelu, const aclTensor *self, const aclTensor *other, const aclScalar *alpha,
               aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceAddRelu, aclTensor *selfRef, const aclTensor *other, const aclScalar *alpha)
#endif
