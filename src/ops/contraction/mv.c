/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The product of a matrix and a vector: out = self @ vec (Mv), out = beta * self + alpha * (mat @ vec)
 * (Addmv).
 */
#include "ops/contraction/product.h"

#include "aclnnop/aclnn_addmv.h"
#include "aclnnop/aclnn_mv.h"
#include "ops/dtypes.h"

enum { SELF, VEC, OUT, CUBE_MATH_TYPE_ };

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16_complex64),
    [VEC] = READ("vec", &dtypes_fp32_fp16_bf16_complex64, .sample = "3"),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16_complex64),
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

enum { ADDED, MATRIX, VECTOR, ALPHA, BETA, SUM, SUM_CUBE_MATH_TYPE };

static const struct parameter addmv_parameters[] = {
    [ADDED] = READ("self", &dtypes_floats_integers_bool, .sample = "2", .is_partly_read = true),
    [MATRIX] = READ("mat", &dtypes_floats_integers_bool),
    [VECTOR] = READ("vec", &dtypes_floats_integers_bool, .sample = "3"),
    [ALPHA] = SCALAR("alpha", &dtypes_reals, .usual = "1"),
    [BETA] = SCALAR("beta", &dtypes_reals, .usual = "1"),
    [SUM] = WRITTEN("out", &dtypes_floats_integers_bool),
    [SUM_CUBE_MATH_TYPE] = CUBE_MATH_TYPE,
};

static const struct matrix_product addmv = {
    .ranks = RANKS_MATRIX_VECTOR,
    .left = MATRIX,
    .right = VECTOR,
    .self = ADDED,
    .beta = BETA,
    .alpha = ALPHA,
    .cube_math_type = SUM_CUBE_MATH_TYPE,
};

FUNCTION(aclnnAddmv,
         (const aclTensor *self, const aclTensor *mat, const aclTensor *vec, const aclScalar *alpha,
          const aclScalar *beta, aclTensor *out, int8_t cubeMathType),
         (ARG(self), ARG(mat), ARG(vec), ARG(alpha), ARG(beta), ARG(out), ARG(cubeMathType)), .stem = "addmv",
         PARAMETERS(addmv_parameters), PRODUCT(&addmv));
