/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The product of a matrix and a quantised one: y = x @ ((weight + offset) scale) + bias. x (m, k): FLOAT16 or
 * BFLOAT16; weight (k, n): INT8, INT4 (two to a byte, the first in the low half, side by side along one of
 * the dims), or INT32 (k, n / 8) for eight INT4 each. antiquantScale and antiquantOffsetOptional have the
 * dtype of x and one element, n, or (groups, n) of them: antiquantGroupSize rows of weight each, 0 for no
 * groups. biasOptional: FLOAT, FLOAT16 or BFLOAT16, (n) or (1, n). y has the dtype of x; quantScaleOptional
 * and quantOffsetOptional make it INT8, y quantScale + quantOffset rounded to the nearest and saturated; a
 * quantScale of UINT64 has the first 19 bits of a FLOAT in its low half and, where no quantOffset is given,
 * an integer of 9 bits from bit 37 on. Weights are FLOAT in the sums, which are in FLOAT (with
 * BELAY_ACCURACY=exact in DOUBLE), rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V2_H
#define BELAY_ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnWeightQuantBatchMatmulV2, const aclTensor *x, const aclTensor *weight,
               const aclTensor *antiquantScale, const aclTensor *antiquantOffsetOptional,
               const aclTensor *quantScaleOptional, const aclTensor *quantOffsetOptional,
               const aclTensor *biasOptional, int antiquantGroupSize, const aclTensor *y)
#endif
