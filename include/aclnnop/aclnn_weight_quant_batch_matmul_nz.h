/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The product of a matrix and a quantised weight in FRACTAL_NZ: all of aclnnWeightQuantBatchMatmulV2, whose
 * weight may lie so, too (aclnn_npu_format_cast.h says when). weight is INT8, or INT32 of eight INT4 each.
 */
#ifndef BELAY_ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_NZ_H
#define BELAY_ACLNNOP_ACLNN_WEIGHT_QUANT_BATCH_MATMUL_NZ_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnWeightQuantBatchMatmulNz, const aclTensor *x, const aclTensor *weight,
               const aclTensor *antiquantScale, const aclTensor *antiquantOffsetOptional,
               const aclTensor *quantScaleOptional, const aclTensor *quantOffsetOptional,
               const aclTensor *biasOptional, int antiquantGroupSize, const aclTensor *y)
#endif
