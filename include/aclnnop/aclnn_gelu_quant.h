/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gelu of rows as numbers of few bits, by scales that are given or are made of them.
 *
 * self: FLOAT, FLOAT16 or BFLOAT16, of 1 dim or more. approximate: "none" (NULL too) or "tanh". quantMode:
 * "dynamic" (NULL too): u = gelu(self) inputScale, outScale = the greatest |u| of a row / 127, rounded to
 * FLOAT, y = u / outScale; 0 in rows of zeros. "static": y = gelu(self) inputScale + inputOffset;
 * inputScaleOptional must be given (161001); outScaleOptional is not written. inputScaleOptional,
 * inputOffsetOptional: NULL, or FLOAT, FLOAT16 or BFLOAT16, 1 element, or one for each of a row.
 * roundMode: "rint" (NULL too), "round", to the nearest, ties away from 0, "floor", "ceil" or "trunc"; of
 * floats "rint" alone. dstType: the dtype of y, of the shape of self: 2, INT8, 29, INT4, contiguous, 3,
 * eight INT4 to an element of INT32; with Ascend950 34, HIFLOAT8, 35, FLOAT8_E5M2, 36, FLOAT8_E4M3FN, whose scale is the
 * greatest |u| / the greatest number. outScaleOptional: FLOAT, the shape of self without the last dim, or
 * NULL. In DOUBLE.
 *
 * 161002 too: other modes; rows that are no whole elements of y. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GELU_QUANT_H
#define BELAY_ACLNNOP_ACLNN_GELU_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGeluQuant, const aclTensor *self, const aclTensor *inputScaleOptional,
               const aclTensor *inputOffsetOptional, char *approximate, char *quantMode, char *roundMode,
               int64_t dstType, aclTensor *y, aclTensor *outScaleOptional)
#endif
