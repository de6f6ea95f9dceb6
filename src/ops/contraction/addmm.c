/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = beta * self + alpha * (mat1 @ mat2), of matrices (Addmm), of batches of them (Baddbmm), and of the
 * sum of the products of batches (Addbmm).
 *
 * self is not read where beta is 0, and the product is not computed where alpha is 0, so that NaN and
 * infinities there do not count.
 */
#include "ops/contraction/product.h"
#include "ops/signature.h"

#include "aclnnop/aclnn_addbmm.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_baddbmm.h"

#define SCALARS(X, of)                               \
    X(of, SCALAR, beta, &dtypes_reals, .usual = "1") \
    X(of, SCALAR, alpha, &dtypes_reals, .usual = "1")
#define OF_BATCHES(X, of)                                        \
    X(of, IN, batch1, &dtypes_fp32_fp16_bf16, .sample = "2x3x4") \
    X(of, IN, batch2, &dtypes_fp32_fp16_bf16, .sample = "2x4x5") \
    SCALARS(X, of)
#define ADDMM(X, of)                                                               \
    X(of, IN, self, &dtypes_fp32_fp16_bf16, .sample = "4", .is_partly_read = true) \
    X(of, IN, mat1, &dtypes_fp32_fp16_bf16)                                        \
    X(of, IN, mat2, &dtypes_fp32_fp16_bf16, .sample = "3x4")                       \
    SCALARS(X, of)                                                                 \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                                        \
    CUBE_MATH_TYPE(X, of)
SIGNATURE(ADDMM)
#define INPLACE_ADDMM(X, of)                                                                    \
    X(of, CONST_BOTH, selfRef, &dtypes_fp32_fp16_bf16, .sample = "2x4", .is_partly_read = true) \
    X(of, IN, mat1, &dtypes_fp32_fp16_bf16)                                                     \
    X(of, IN, mat2, &dtypes_fp32_fp16_bf16, .sample = "3x4")                                    \
    SCALARS(X, of)                                                                              \
    CUBE_MATH_TYPE(X, of)
SIGNATURE(INPLACE_ADDMM)

#define BADDBMM(X, of)                                                               \
    X(of, IN, self, &dtypes_fp32_fp16_bf16, .sample = "3x5", .is_partly_read = true) \
    OF_BATCHES(X, of)                                                                \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                                          \
    CUBE_MATH_TYPE(X, of)
SIGNATURE(BADDBMM)
#define INPLACE_BADDBMM(X, of)                                                                    \
    X(of, CONST_BOTH, selfRef, &dtypes_fp32_fp16_bf16, .sample = "2x3x5", .is_partly_read = true) \
    OF_BATCHES(X, of)                                                                             \
    CUBE_MATH_TYPE(X, of)
SIGNATURE(INPLACE_BADDBMM)

#define INPLACE_ADDBMM(X, of)                                                             \
    X(of, BOTH, selfRef, &dtypes_fp32_fp16_bf16, .sample = "3x5", .is_partly_read = true) \
    OF_BATCHES(X, of)                                                                     \
    CUBE_MATH_TYPE(X, of)
SIGNATURE(INPLACE_ADDBMM)

#define WITH_SELF \
    .left = ADDMM_mat1, .right = ADDMM_mat2, .self = ADDMM_self, .beta = ADDMM_beta, .alpha = ADDMM_alpha

static const struct matrix_product addmm = {
    .ranks = RANKS_MATRICES, WITH_SELF, .cube_math_type = ADDMM_cubeMathType};
static const struct matrix_product addmm_in_place = {
    .ranks = RANKS_MATRICES, WITH_SELF, .cube_math_type = INPLACE_ADDMM_cubeMathType};
static const struct matrix_product baddbmm = {
    .ranks = RANKS_BATCHES, WITH_SELF, .cube_math_type = ADDMM_cubeMathType};
static const struct matrix_product addbmm = {
    .ranks = RANKS_ADDED_BATCHES, WITH_SELF, .cube_math_type = ADDMM_cubeMathType};
static const struct matrix_product addbmm_in_place = {
    .ranks = RANKS_ADDED_BATCHES, WITH_SELF, .cube_math_type = INPLACE_ADDMM_cubeMathType};
static const struct matrix_product baddbmm_in_place = {.ranks = RANKS_BATCHES,
                                                       WITH_SELF,
                                                       .cube_math_type = INPLACE_ADDMM_cubeMathType,
                                                       .has_equal_batches = true};

FUNCTION_OF(aclnnAddmm, ADDMM, .stem = "addmm", PRODUCT(&addmm));

/* A weight's format is known from the tensor, so that this name means the same. */
FUNCTION_OF(aclnnAddmmWeightNz, ADDMM, .stem = "addmm", PRODUCT(&addmm));
FUNCTION_OF(aclnnInplaceAddmm, INPLACE_ADDMM, .stem = "addmm", PRODUCT(&addmm_in_place));
FUNCTION_OF(aclnnBaddbmm, BADDBMM, .stem = "baddbmm", PRODUCT(&baddbmm));
FUNCTION_OF(aclnnInplaceBaddbmm, INPLACE_BADDBMM, .stem = "baddbmm", PRODUCT(&baddbmm_in_place));
FUNCTION_OF(aclnnAddbmm, BADDBMM, .stem = "addbmm", PRODUCT(&addbmm));
FUNCTION_OF(aclnnInplaceAddbmm, INPLACE_ADDBMM, .stem = "addbmm", PRODUCT(&addbmm_in_place));
