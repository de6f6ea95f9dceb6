/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of INT8 of all ranks added up: output = the sum over ranks of ((x1 @ x2 + bias) * dequantScale + x3).
 * x1: INT8 (m, k) or (b, s, k); x2: INT8 (k, n), plain or FRACTAL_NZ; bias: INT32 (n) or NULL, added to the
 * exact sums; dequantScale: FLOAT, FLOAT16, BFLOAT16, or INT64 and UINT64 as aclnnTransQuantParam makes them, 1
 * element or n; x3: of the dtype and the shape of output, or NULL; output: FLOAT16 or BFLOAT16. Every rank adds
 * its own bias and x3. Each rank's values are rounded to FLOAT, added in DOUBLE in the order of ranks, and
 * rounded to FLOAT and then to the dtype of output. group: the communicator's name (HcclGetCommName);
 * reduceOp: "sum"; commTurn and streamMode change nothing. Order as torch_npu 2.14 passes it.
 * - 161001: x1, x2, dequantScale, group, reduceOp or output is NULL; 161002: dtypes, shapes, a group that
 *   there is not; 361001: without libhccl
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_ALL_REDUCE_H
#define BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_ALL_REDUCE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantMatmulAllReduce, const aclTensor *x1, const aclTensor *x2, const aclTensor *bias,
               const aclTensor *x3, const aclTensor *dequantScale, const char *group, const char *reduceOp,
               int64_t commTurn, int64_t streamMode, const aclTensor *output)
#endif
