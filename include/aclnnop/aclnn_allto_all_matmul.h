/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows whose pieces come from all ranks, multiplied by the own matrix: output = permuted @ x2 + bias.
 * x1: FLOAT16 or BFLOAT16 [rows, h], rows a multiple of the ranks W: part q of the rows goes to rank q, and what
 * comes from rank q are columns q * h to (q + 1) * h of permuted, [rows / W, W * h]. x2: like x1, [W * h, n], or
 * [n, W * h] with transposeX2; biasOptional: NULL, or [n] of x1's dtype or FLOAT. output: [rows / W, n] of x1's dtype;
 * alltoAllOutOptional: permuted, or NULL or empty. alltoAllAxesOptional: NULL, empty or [-2, -1].
 * group: the name of a communicator of the current device, as HcclGetCommName tells; all its ranks call alike, and
 * the call is one collective of it. transposeX1: false. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ALLTO_ALL_MATMUL_H
#define BELAY_ACLNNOP_ACLNN_ALLTO_ALL_MATMUL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAlltoAllMatmul, const aclTensor *x1, const aclTensor *x2, const aclTensor *biasOptional,
               const aclIntArray *alltoAllAxesOptional, const char *group, bool transposeX1, bool transposeX2,
               const aclTensor *output, const aclTensor *alltoAllOutOptional)
#endif
