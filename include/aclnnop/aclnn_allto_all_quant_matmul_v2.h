/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of whole numbers whose pieces come from all ranks, multiplied by the own matrix, with scales.
 * aclnnAlltoAllMatmul (aclnn_allto_all_matmul.h) with an output of (q @ x2) * x1Scale * x2Scale + bias.
 * x1QuantMode 3: x1 of INT8 or INT4, of which INT32 may hold eight, and x1ScaleOptional FLOAT, one for each row,
 * which comes with the row's piece; 7: x1 of FLOAT16 or BFLOAT16, whose rows, as they come together, times
 * x1ScaleOptional if it is given, FLOAT, one for each element of such a row, become INT8 as aclnnDynamicQuant makes
 * them. x2QuantMode: 2; x2: INT8 or INT4; x2Scale: FLOAT, FLOAT16,
 * BFLOAT16, INT64 or UINT64 as aclnnTransQuantParamV2 makes them, [n]. Sums are exact in INT32, the rest is in
 * DOUBLE, rounded to FLOAT and then to output's dtype, FLOAT, FLOAT16 or BFLOAT16. biasOptional: FLOAT, FLOAT16 or
 * BFLOAT16 [n]. commScaleOptional, x1OffsetOptional, x2OffsetOptional: NULL; commQuantMode, commQuantDtype, x1QuantDtype and
 * groupSize change nothing.
 * commMode changes nothing. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ALLTO_ALL_QUANT_MATMUL_V2_H
#define BELAY_ACLNNOP_ACLNN_ALLTO_ALL_QUANT_MATMUL_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAlltoAllQuantMatmulV2, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *biasOptional, const aclTensor *x1ScaleOptional, const aclTensor *x2Scale,
               const aclTensor *commScaleOptional, const aclTensor *x1OffsetOptional,
               const aclTensor *x2OffsetOptional, const char *group, const char *commMode,
               const aclIntArray *alltoAllAxesOptional, int64_t x1QuantMode, int64_t x2QuantMode,
               int64_t commQuantMode, int64_t commQuantDtype, int64_t x1QuantDtype, int64_t groupSize,
               bool transposeX1, bool transposeX2, const aclTensor *output,
               const aclTensor *alltoAllOutOptional)
#endif
