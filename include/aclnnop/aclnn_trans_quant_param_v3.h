/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A scale and an offset as quantised products take them, in 64 bits, rounded if asked for.
 * scale: FLOAT, 1 or 2 dims; offsetOptional: FLOAT, 1 element or as many as scale, or NULL; a scale of 1
 * element in 1 dim stands for as many as offsetOptional has. out: INT64 or UINT64, the shape of scale, or of
 * the longer one: bits 0 to 31 the scale, of which the lowest 13 bits are cut off with roundMode 0 and
 * rounded off, to the nearest, ties to even, with 1, bits 37 to 45 the offset, the nearest whole number from
 * -256 to 255, and bit 46 set. 161002 too: other roundMode. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_TRANS_QUANT_PARAM_V3_H
#define BELAY_ACLNNOP_ACLNN_TRANS_QUANT_PARAM_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnTransQuantParamV3, const aclTensor *scale, const aclTensor *offsetOptional,
               int64_t roundMode, aclTensor *out)
#endif
