/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Weights that were laid out for the device: TransMatmulWeight leaves mmWeightRef as it is, since products
 * here read plain matrices. mmWeightRef: FLOAT, FLOAT16, BFLOAT16 or INT8, rank 2 to 8.
 */
#ifndef BELAY_ACLNNOP_ACLNN_TRANS_MATMUL_WEIGHT_H
#define BELAY_ACLNNOP_ACLNN_TRANS_MATMUL_WEIGHT_H
#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnTransMatmulWeight, aclTensor *mmWeightRef)

/*
 * The elements of such a weight, *weightTensorSize: the product of its dims, 2 to 6, the last two rounded up
 * to multiples of 16; of INT8 and other dtypes of one byte, the last one to 32. CalculateMatmulWeightSize is
 * that of FLOAT16. They have this one phase. 161001: NULL; 161002: another rank, a dim that is not positive,
 * or more elements than 2^63 - 1.
 */
ACLNN_FUNCTION_LINKAGE aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray *tensorShape,
                                                                  uint64_t *weightTensorSize);
ACLNN_FUNCTION_LINKAGE aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray *tensorShape,
                                                                    aclDataType dataType,
                                                                    uint64_t *weightTensorSize);
#endif
