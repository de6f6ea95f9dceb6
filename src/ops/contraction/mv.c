/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self @ vec, of a matrix and a vector.
 */
#include "ops/contraction/product.h"

#include "aclnnop/aclnn_mv.h"

enum { SELF, VEC, OUT, CUBE_MATH_TYPE_ };

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16),
    [VEC] = READ("vec", &dtypes_fp32_fp16_bf16, .sample = "3"),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
    [CUBE_MATH_TYPE_] = CUBE_MATH_TYPE,
};

static const struct matrix_product mv = {
    .ranks = RANKS_MATRIX_VECTOR,
    .left = SELF,
    .right = VEC,
    .self = NO_PARAMETER,
    .beta = NO_PARAMETER,
    .alpha = NO_PARAMETER,
    .cube_math_type = CUBE_MATH_TYPE_,
};

FUNCTION(aclnnMv, (const aclTensor *self, const aclTensor *vec, aclTensor *out, int8_t cubeMathType),
         (ARG(self), ARG(vec), ARG(out), ARG(cubeMathType)), .stem = "mv", PARAMETERS(parameters),
         PRODUCT(&mv));
