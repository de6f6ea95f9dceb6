/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * selfRef = the one element of value in every place, converted as aclnnCast converts. Any dtypes; value has
 * rank 0, or one element. It is read when the work runs. The order of the arguments is that in which
 * torch_npu 2.14 passes them.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FILL_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_FILL_TENSOR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnInplaceFillTensor, aclTensor *selfRef, const aclTensor *value)
#endif
