/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gelu(a) b of rows that have a and b side by side.
 * - input: FLOAT, FLOAT16 or BFLOAT16, its last dim 2 d; out: that dtype, d. approximate "none", "" or NULL:
 *   a times the share of the normal distribution below a; "tanh": 0.5 a (1 + tanh(sqrt(2 / pi) (a + 0.044715
 *   a^3))).
 * In DOUBLE, rounded once. 161002 too: an odd last dim, other texts. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GELU_MUL_H
#define BELAY_ACLNNOP_ACLNN_GELU_MUL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGeluMul, const aclTensor *input, char *approximateOptional, aclTensor *out)
#endif
