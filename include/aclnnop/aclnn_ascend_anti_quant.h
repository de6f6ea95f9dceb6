/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of few bits as floats: (x + offset) scale, with sqrtMode scale twice.
 * x: INT8, INT4, INT32 of eight INT4 each (y has as many elements in a row), or on Ascend950 HIFLOAT8, FLOAT8_E5M2 or
 * FLOAT8_E4M3FN. scale, offsetOptional: FLOAT or BFLOAT16, one dtype and one shape: 1 element, as many as the last dim of y has
 * or else the dim before, or the dims of y with all but one of them 1. dstType: 1, FLOAT16, or 27, BFLOAT16, the dtype of y.
 * In doubles, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ASCEND_ANTI_QUANT_H
#define BELAY_ACLNNOP_ACLNN_ASCEND_ANTI_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAscendAntiQuant, const aclTensor *x, const aclTensor *scale,
               const aclTensor *offsetOptional, int64_t dstType, bool sqrtMode, aclTensor *y)
#endif
