/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Two products with an activation between them: y = act(x @ weight1 + bias1) @ weight2 + bias2, of all rows, or
 * of the rows of experts by their weights. x: FLOAT16 or BFLOAT16 (..., k1), of 2 to 8 dims; weight1: of the dtype
 * of x, (k1, n1), or (experts, k1, n1) beside expertTokens; weight2: (k2, n2) likewise; biases: floats (n1) and
 * (n2), or (experts, n1) and (experts, n2); y: of the dtype of x, (..., n2). expertTokens: how many rows of x
 * belong to each expert, in order, or with tokensIndexFlag where they end; together all of x. What lies between
 * the products is rounded to the dtype of x.
 * activation: "relu", "gelu" (by erf), "fastgelu" (x / (1 + e^-1.702x)) or "silu", with n1 = k2; "reglu",
 * "geglu" or "swiglu", with n1 = 2 k2: that of the first half of a row times the second half. innerPrecise
 * changes nothing.
 * INT8 beside floats: weights are INT8 and w = (weight + antiquantOffset) * antiquantScale, FLOAT16 or
 * BFLOAT16 (n), (experts, n), or one number for each expert; offsets may be NULL.
 * INT8: x and the weights are INT8, biases INT32, added to exact sums; deqScale1, 2: FLOAT, FLOAT16, BFLOAT16, or
 * INT64 and UINT64 as aclnnTransQuantParam makes them, (n) or (experts, n); y: FLOAT16 or BFLOAT16. h = act((x @
 * weight1 + bias1) * deqScale1 rounded to the dtype of y); between the products is h * scale + offset to the
 * nearest from -128 to 127, ties to even; scale, offset: FLOAT (k2), (experts, k2), or one number for each
 * expert; offset may be NULL. Order as torch_npu 2.14 passes it.
 * - 161002: dtypes, shapes, another activation, scales of another kind of call, or rows of experts that are not
 *   those of x
 */
#ifndef BELAY_ACLNNOP_ACLNN_FFN_V2_H
#define BELAY_ACLNNOP_ACLNN_FFN_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFFNV2, const aclTensor *x, const aclTensor *weight1, const aclTensor *weight2,
               const aclIntArray *expertTokensOptional, const aclTensor *bias1Optional,
               const aclTensor *bias2Optional, const aclTensor *scaleOptional,
               const aclTensor *offsetOptional, const aclTensor *deqScale1Optional,
               const aclTensor *deqScale2Optional, const aclTensor *antiquantScale1Optional,
               const aclTensor *antiquantScale2Optional, const aclTensor *antiquantOffset1Optional,
               const aclTensor *antiquantOffset2Optional, const char *activation, int64_t innerPrecise,
               bool tokensIndexFlag, const aclTensor *y)
#endif
