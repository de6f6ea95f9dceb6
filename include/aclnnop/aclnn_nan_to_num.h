/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self without NaN and infinities: NaN becomes nan, +inf posinf, -inf neginf, each rounded to self's dtype.
 * Integers and BOOL are copied. FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 and BOOL; out has
 * self's dtype and shape. The order of the arguments is that in which torch_npu 2.14 passes them.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NAN_TO_NUM_H
#define BELAY_ACLNNOP_ACLNN_NAN_TO_NUM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNanToNum, const aclTensor *self, float nan, float posinf, float neginf, aclTensor *out)
ACLNN_FUNCTION(aclnnInplaceNanToNum, aclTensor *selfRef, float nan, float posinf, float neginf)
#endif
