/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * y = self * mask * scale, as dropout has it. self and y: FLOAT, FLOAT16 or BFLOAT16; mask of one of these
 * or UINT8, INT8 or BOOL; one shape. Within 1 ulp. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MASKED_SCALE_H
#define BELAY_ACLNNOP_ACLNN_MASKED_SCALE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMaskedScale, const aclTensor *self, const aclTensor *mask, double scale, aclTensor *y)
#endif
