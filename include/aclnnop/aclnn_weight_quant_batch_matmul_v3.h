/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnWeightQuantBatchMatmulV2 (aclnn_weight_quant_batch_matmul_v2.h) with innerPrecise, 0 or 1, which
 * changes nothing.
 * 161002 too: another innerPrecise. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V3_H
#define BELAY_ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnWeightQuantBatchMatmulV3, const aclTensor *x, const aclTensor *weight,
               const aclTensor *antiquantScale, const aclTensor *antiquantOffsetOptional,
               const aclTensor *quantScaleOptional, const aclTensor *quantOffsetOptional,
               const aclTensor *biasOptional, int antiquantGroupSize, int innerPrecise, const aclTensor *y)
#endif
