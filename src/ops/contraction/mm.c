/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self @ mat2: of two matrices (Mm), of batches of them (BatchMatMul), and of whatever has a matrix in
 * its last two dims or is a vector (Matmul).
 */
#include "ops/contraction/product.h"
#include "ops/signature.h"

#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mm.h"

#define MATMUL(X, of)                                                  \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_complex64)                  \
    X(of, IN, mat2, &dtypes_fp32_fp16_bf16_complex64, .sample = "3x4") \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_complex64)                  \
    CUBE_MATH_TYPE(X, of)
SIGNATURE(MATMUL)

/* PyTorch for Ascend hands views of conjugates to Mm and BatchMatMul as if they were none: products of
 * complex numbers would be wrong without a word. For Matmul it makes them numbers of their own before. */
#define MM(X, of)                                            \
    X(of, IN, self, &dtypes_fp32_fp16_bf16)                  \
    X(of, IN, mat2, &dtypes_fp32_fp16_bf16, .sample = "3x4") \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                  \
    CUBE_MATH_TYPE(X, of)
SIGNATURE(MM)
#define BATCH_MAT_MUL(X, of)                                   \
    X(of, IN, self, &dtypes_fp32_fp16_bf16, .sample = "2x3x4") \
    X(of, IN, mat2, &dtypes_fp32_fp16_bf16, .sample = "2x4x5") \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                    \
    CUBE_MATH_TYPE(X, of)
SIGNATURE(BATCH_MAT_MUL)

#define WITHOUT_SELF                                                                       \
    .left = MATMUL_self, .right = MATMUL_mat2, .self = NO_PARAMETER, .beta = NO_PARAMETER, \
    .alpha = NO_PARAMETER, .cube_math_type = MATMUL_cubeMathType

static const struct matrix_product mm = {.ranks = RANKS_MATRICES, WITHOUT_SELF};
static const struct matrix_product batch_matmul = {.ranks = RANKS_ANY_BATCHES, WITHOUT_SELF};
static const struct matrix_product matmul = {.ranks = RANKS_ANY, WITHOUT_SELF};

FUNCTION_OF(aclnnMm, MM, .stem = "mm", PRODUCT(&mm));
FUNCTION_OF(aclnnBatchMatMul, BATCH_MAT_MUL, .stem = "batch_matmul", PRODUCT(&batch_matmul));
FUNCTION_OF(aclnnMatmul, MATMUL, .stem = "matmul", PRODUCT(&matmul));

/* A weight's format is known from the tensor, so that these names mean the same. */
FUNCTION_OF(aclnnBatchMatMulWeightNz, BATCH_MAT_MUL, .stem = "batch_matmul", PRODUCT(&batch_matmul));
FUNCTION_OF(aclnnMatmulWeightNz, MATMUL, .stem = "matmul", PRODUCT(&matmul));
