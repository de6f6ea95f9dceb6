/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of all ranks added up, of which each rank gets its part of the rows: rows rank * m / ranks and
 * on of the sum over ranks of (x1 @ x2 + bias). x1: FLOAT16 or BFLOAT16, [m, k], m a multiple of the ranks;
 * x2: its dtype, [k, n], any strides; bias: its dtype, [n], or NULL; output: its dtype, [m / ranks, n]:
 * products and bias in FLOAT, ranks in DOUBLE in their order, rounded to FLOAT and to the dtype. reduceOp
 * is "sum"; commTurn and streamMode change nothing. group is the name of a communicator of the current
 * device, as HcclGetCommName tells (161002 where there is none, 361001 without libhccl.so); all its ranks
 * call the function in the same order as its collectives, with which its work shares checks, timeouts and
 * failures, and cannot be recorded. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MATMUL_REDUCE_SCATTER_H
#define BELAY_ACLNNOP_ACLNN_MATMUL_REDUCE_SCATTER_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMatmulReduceScatter, const aclTensor *x1, const aclTensor *x2, const aclTensor *bias,
               const char *group, const char *reduceOp, int64_t commTurn, int64_t streamMode,
               const aclTensor *output)
#endif
