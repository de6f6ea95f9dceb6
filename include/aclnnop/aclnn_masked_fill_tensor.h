/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The element of value where mask is not 0, selfRef with its bits elsewhere. mask is BOOL or UINT8 and
 * broadcasts to the shape of selfRef; value has one element of any dtype, which is read when the work
 * runs and converted to the dtype of selfRef.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MASKED_FILL_TENSOR_H
#define BELAY_ACLNNOP_ACLNN_MASKED_FILL_TENSOR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnInplaceMaskedFillTensor, aclTensor *selfRef, const aclTensor *mask,
               const aclTensor *value)
#endif
