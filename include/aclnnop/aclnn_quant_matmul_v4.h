/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A product of INT8 or INT4 whose sums are scaled by columns and rows: all of aclnnQuantMatmulV3, and
 * pertokenScaleOptional, FLOAT, 1 element or m, by which rows are multiplied behind the scale.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_V4_H
#define BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_V4_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantMatmulV4, const aclTensor *x1, const aclTensor *x2, const aclTensor *scale,
               const aclTensor *offsetOptional, const aclTensor *pertokenScaleOptional,
               const aclTensor *biasOptional, bool transposeX1, bool transposeX2, aclTensor *out)
#endif
