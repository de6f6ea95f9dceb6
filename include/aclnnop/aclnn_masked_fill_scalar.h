/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * value where mask is not 0, selfRef with its bits elsewhere. mask is BOOL or UINT8 and broadcasts to
 * the shape of selfRef; value is converted to the dtype of selfRef, which may be any: it loses its
 * fraction in integers, and an imaginary part in real numbers.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MASKED_FILL_SCALAR_H
#define BELAY_ACLNNOP_ACLNN_MASKED_FILL_SCALAR_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnInplaceMaskedFillScalar, aclTensor *selfRef, const aclTensor *mask,
               const aclScalar *value)
#endif
