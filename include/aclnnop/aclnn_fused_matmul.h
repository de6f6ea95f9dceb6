/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A product of floats of which something is made before it is rounded: y = op(x1 @ x2 + bias).
 * x1: [.., m, k], x2: [.., k, n], FLOAT, FLOAT16 or BFLOAT16, of one dtype, 2 to 6 dims, those before the last two
 * broadcast; biasOptional: NULL, or n elements of any of these. fusedOpType: "" nothing, "relu", "add" with x3, "mul"
 * by x3, "gelu_erf", "gelu_tanh", "16cast32": y is FLOAT, x1 of 16 bits. x3Optional: x1's dtype and the shape of y,
 * whose dims before the last two may be 1 or absent, with "add" and "mul", and NULL otherwise. y: [.., m, n], of x1's
 * dtype but for "16cast32". Sums are in FLOAT, as aclnnMatmul has them, the rest is in DOUBLE, rounded once.
 * cubeMathType: 0 to 4, changes nothing. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FUSED_MATMUL_H
#define BELAY_ACLNNOP_ACLNN_FUSED_MATMUL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFusedMatmul, const aclTensor *x1, const aclTensor *x2, const aclTensor *biasOptional,
               const aclTensor *x3Optional, const char *fusedOpType, int8_t cubeMathType, aclTensor *y)
#endif
