/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of floats by weights of 8 or 4 bits of all ranks added up: output = the sum over ranks of x1 @ ((x2 +
 * antiquantOffset) * antiquantScale) + bias + x3. x1: FLOAT16 or BFLOAT16 (m, k) or (b, s, k); x2: (k, n) of INT8,
 * INT4, or INT32 with eight INT4 along the dim of stride 1, plain or FRACTAL_NZ; antiquantScale: x1's dtype, 1
 * element, n, or (groups, n) for groups of antiquantGroupSize steps of k (0: one group); antiquantOffset: the same
 * forms, or NULL; bias: x1's dtype (n), or NULL; x3 and output: x1's dtype, (m, n) or (b, s, n), x3 also NULL. The
 * weight is made in FLOAT, each operation rounded. Every rank adds its own bias and x3; each rank's values are
 * rounded to FLOAT, added in DOUBLE in the order of ranks, and rounded to FLOAT and then to the dtype of output.
 * group: the communicator's name (HcclGetCommName); reduceOp: "sum"; commTurn and streamMode change nothing. Order
 * as torch_npu 2.14 passes it.
 * - 161001: x1, x2, antiquantScale, group, reduceOp or output is NULL; 161002: dtypes, shapes, a negative
 *   antiquantGroupSize, a group that there is not; 361001: without libhccl
 */
#ifndef BELAY_ACLNNOP_ACLNN_WEIGHT_QUANT_MATMUL_ALL_REDUCE_H
#define BELAY_ACLNNOP_ACLNN_WEIGHT_QUANT_MATMUL_ALL_REDUCE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnWeightQuantMatmulAllReduce, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *bias, const aclTensor *antiquantScale, const aclTensor *antiquantOffset,
               const aclTensor *x3, const char *group, const char *reduceOp, int64_t commTurn,
               int64_t streamMode, int64_t antiquantGroupSize, const aclTensor *output)
#endif
