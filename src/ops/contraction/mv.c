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
#include "ops/signature.h"

#define MV(X, of)                                                   \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_complex64)               \
    X(of, IN, vec, &dtypes_fp32_fp16_bf16_complex64, .sample = "3") \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_complex64)               \
    CUBE_MATH_TYPE(X, of)
SIGNATURE(MV)

static const struct matrix_product mv = {
    .ranks = RANKS_MATRIX_VECTOR,
    .left = MV_self,
    .right = MV_vec,
    .self = NO_PARAMETER,
    .beta = NO_PARAMETER,
    .alpha = NO_PARAMETER,
    .cube_math_type = MV_cubeMathType,
};

FUNCTION_OF(aclnnMv, MV, .stem = "mv", PRODUCT(&mv));

#define ADDMV(X, of)                                                                     \
    X(of, IN, self, &dtypes_floats_integers_bool, .sample = "2", .is_partly_read = true) \
    X(of, IN, mat, &dtypes_floats_integers_bool)                                         \
    X(of, IN, vec, &dtypes_floats_integers_bool, .sample = "3")                          \
    X(of, SCALAR, alpha, &dtypes_reals, .usual = "1")                                    \
    X(of, SCALAR, beta, &dtypes_reals, .usual = "1")                                     \
    X(of, OUT, out, &dtypes_floats_integers_bool)                                        \
    CUBE_MATH_TYPE(X, of)
SIGNATURE(ADDMV)

static const struct matrix_product addmv = {
    .ranks = RANKS_MATRIX_VECTOR,
    .left = ADDMV_mat,
    .right = ADDMV_vec,
    .self = ADDMV_self,
    .beta = ADDMV_beta,
    .alpha = ADDMV_alpha,
    .cube_math_type = ADDMV_cubeMathType,
};

FUNCTION_OF(aclnnAddmv, ADDMV, .stem = "addmv", PRODUCT(&addmv));
