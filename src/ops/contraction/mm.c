/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self @ mat2: of two matrices (Mm), of batches of them (BatchMatMul), and of whatever has a matrix in
 * its last two dims or is a vector (Matmul).
 */
#include "ops/contraction/product.h"

#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mm.h"

enum { SELF, MAT2, OUT, CUBE_MATH_TYPE_ };

static const struct parameter any[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16_complex64),
    [MAT2] = READ("mat2", &dtypes_fp32_fp16_bf16_complex64, .sample = "3x4"),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16_complex64),
    [CUBE_MATH_TYPE_] = CUBE_MATH_TYPE,
};
/* PyTorch for Ascend hands views of conjugates to Mm and BatchMatMul as if they were none: products of
 * complex numbers would be wrong without a word. For Matmul it makes them numbers of their own before. */
static const struct parameter matrices[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16),
    [MAT2] = READ("mat2", &dtypes_fp32_fp16_bf16, .sample = "3x4"),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
    [CUBE_MATH_TYPE_] = CUBE_MATH_TYPE,
};
static const struct parameter batches[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16, .sample = "2x3x4"),
    [MAT2] = READ("mat2", &dtypes_fp32_fp16_bf16, .sample = "2x4x5"),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
    [CUBE_MATH_TYPE_] = CUBE_MATH_TYPE,
};

#define WITHOUT_SELF                                                                                \
    .left = SELF, .right = MAT2, .self = NO_PARAMETER, .beta = NO_PARAMETER, .alpha = NO_PARAMETER, \
    .cube_math_type = CUBE_MATH_TYPE_

static const struct matrix_product mm = {.ranks = RANKS_MATRICES, WITHOUT_SELF};
static const struct matrix_product batch_matmul = {.ranks = RANKS_ANY_BATCHES, WITHOUT_SELF};
static const struct matrix_product matmul = {.ranks = RANKS_ANY, WITHOUT_SELF};

FUNCTION(aclnnMm, (const aclTensor *self, const aclTensor *mat2, aclTensor *out, int8_t cubeMathType),
         (ARG(self), ARG(mat2), ARG(out), ARG(cubeMathType)), .stem = "mm", PARAMETERS(matrices),
         PRODUCT(&mm));

FUNCTION(aclnnBatchMatMul,
         (const aclTensor *self, const aclTensor *mat2, aclTensor *out, int8_t cubeMathType),
         (ARG(self), ARG(mat2), ARG(out), ARG(cubeMathType)), .stem = "batch_matmul", PARAMETERS(batches),
         PRODUCT(&batch_matmul));

FUNCTION(aclnnMatmul, (const aclTensor *self, const aclTensor *mat2, aclTensor *out, int8_t cubeMathType),
         (ARG(self), ARG(mat2), ARG(out), ARG(cubeMathType)), .stem = "matmul", PARAMETERS(any),
         PRODUCT(&matmul));

/* A weight's format is known from the tensor, so that these names mean the same. */
FUNCTION(aclnnBatchMatMulWeightNz,
         (const aclTensor *self, const aclTensor *mat2, aclTensor *out, int8_t cubeMathType),
         (ARG(self), ARG(mat2), ARG(out), ARG(cubeMathType)), .stem = "batch_matmul", PARAMETERS(batches),
         PRODUCT(&batch_matmul));

FUNCTION(aclnnMatmulWeightNz,
         (const aclTensor *self, const aclTensor *mat2, aclTensor *out, int8_t cubeMathType),
         (ARG(self), ARG(mat2), ARG(out), ARG(cubeMathType)), .stem = "matmul", PARAMETERS(any),
         PRODUCT(&matmul));
