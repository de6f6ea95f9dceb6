/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * GELU of a product of INT8 or INT4 whose sums are scaled by columns, by rows, or by blocks.
 * All of aclnnQuantMatmulV5 (aclnn_quant_matmul_v5.h) but its transposes, for which x1 and x2 may be views;
 * x1Scale is asked for, and out is FLOAT, FLOAT16 or BFLOAT16. fusedOpType: "gelu_erf" or "gelu_tanh", of
 * the value before it is rounded. x3Optional: NULL.
 * 161002 too: another fusedOpType. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FUSED_QUANT_MATMUL_H
#define BELAY_ACLNNOP_ACLNN_FUSED_QUANT_MATMUL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFusedQuantMatmul, const aclTensor *x1, const aclTensor *x2, const aclTensor *x1Scale,
               const aclTensor *x2Scale, const aclTensor *yScaleOptional, const aclTensor *x1OffsetOptional,
               const aclTensor *x2OffsetOptional, const aclTensor *yOffsetOptional,
               const aclTensor *biasOptional, const aclTensor *x3Optional, const char *fusedOpType,
               int64_t groupSize, aclTensor *out)
#endif
