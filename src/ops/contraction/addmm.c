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

#include "aclnnop/aclnn_addbmm.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_baddbmm.h"

enum { SELF, MAT1, MAT2, BETA, ALPHA, OUT, CUBE_MATH_TYPE_ };
enum { CUBE_MATH_TYPE_IN_PLACE = OUT };

#define SCALARS                                                     \
    [BETA] = SCALAR("beta", &dtypes_reals, .usual = "1"), [ALPHA] = \
                                                              SCALAR("alpha", &dtypes_reals, .usual = "1")

static const struct parameter matrices[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16, .sample = "4", .is_partly_read = true),
    [MAT1] = READ("mat1", &dtypes_fp32_fp16_bf16),
    [MAT2] = READ("mat2", &dtypes_fp32_fp16_bf16, .sample = "3x4"),
    SCALARS,
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
    [CUBE_MATH_TYPE_] = CUBE_MATH_TYPE,
};
static const struct parameter matrices_in_place[] = {
    [SELF] = BOTH("selfRef", &dtypes_fp32_fp16_bf16, .sample = "2x4", .is_partly_read = true),
    [MAT1] = READ("mat1", &dtypes_fp32_fp16_bf16),
    [MAT2] = READ("mat2", &dtypes_fp32_fp16_bf16, .sample = "3x4"),
    SCALARS,
    [CUBE_MATH_TYPE_IN_PLACE] = CUBE_MATH_TYPE,
};
static const struct parameter batches[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16, .sample = "3x5", .is_partly_read = true),
    [MAT1] = READ("batch1", &dtypes_fp32_fp16_bf16, .sample = "2x3x4"),
    [MAT2] = READ("batch2", &dtypes_fp32_fp16_bf16, .sample = "2x4x5"),
    SCALARS,
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
    [CUBE_MATH_TYPE_] = CUBE_MATH_TYPE,
};
static const struct parameter batches_in_place[] = {
    [SELF] = BOTH("selfRef", &dtypes_fp32_fp16_bf16, .sample = "2x3x5", .is_partly_read = true),
    [MAT1] = READ("batch1", &dtypes_fp32_fp16_bf16, .sample = "2x3x4"),
    [MAT2] = READ("batch2", &dtypes_fp32_fp16_bf16, .sample = "2x4x5"),
    SCALARS,
    [CUBE_MATH_TYPE_IN_PLACE] = CUBE_MATH_TYPE,
};

static const struct parameter added_in_place[] = {
    [SELF] = BOTH("selfRef", &dtypes_fp32_fp16_bf16, .sample = "3x5", .is_partly_read = true),
    [MAT1] = READ("batch1", &dtypes_fp32_fp16_bf16, .sample = "2x3x4"),
    [MAT2] = READ("batch2", &dtypes_fp32_fp16_bf16, .sample = "2x4x5"),
    SCALARS,
    [CUBE_MATH_TYPE_IN_PLACE] = CUBE_MATH_TYPE,
};

#define WITH_SELF .left = MAT1, .right = MAT2, .self = SELF, .beta = BETA, .alpha = ALPHA

static const struct matrix_product addmm = {
    .ranks = RANKS_MATRICES, WITH_SELF, .cube_math_type = CUBE_MATH_TYPE_};
static const struct matrix_product addmm_in_place = {
    .ranks = RANKS_MATRICES, WITH_SELF, .cube_math_type = CUBE_MATH_TYPE_IN_PLACE};
static const struct matrix_product baddbmm = {
    .ranks = RANKS_BATCHES, WITH_SELF, .cube_math_type = CUBE_MATH_TYPE_};
static const struct matrix_product addbmm = {
    .ranks = RANKS_ADDED_BATCHES, WITH_SELF, .cube_math_type = CUBE_MATH_TYPE_};
static const struct matrix_product addbmm_in_place = {
    .ranks = RANKS_ADDED_BATCHES, WITH_SELF, .cube_math_type = CUBE_MATH_TYPE_IN_PLACE};
static const struct matrix_product baddbmm_in_place = {
    .ranks = RANKS_BATCHES, WITH_SELF, .cube_math_type = CUBE_MATH_TYPE_IN_PLACE, .has_equal_batches = true};

FUNCTION(aclnnAddmm,
         (const aclTensor *self, const aclTensor *mat1, const aclTensor *mat2, const aclScalar *beta,
          const aclScalar *alpha, aclTensor *out, int8_t cubeMathType),
         (ARG(self), ARG(mat1), ARG(mat2), ARG(beta), ARG(alpha), ARG(out), ARG(cubeMathType)),
         .stem = "addmm", PARAMETERS(matrices), PRODUCT(&addmm));

/* A weight's format is known from the tensor, so that this name means the same. */
FUNCTION(aclnnAddmmWeightNz,
         (const aclTensor *self, const aclTensor *mat1, const aclTensor *mat2, const aclScalar *beta,
          const aclScalar *alpha, aclTensor *out, int8_t cubeMathType),
         (ARG(self), ARG(mat1), ARG(mat2), ARG(beta), ARG(alpha), ARG(out), ARG(cubeMathType)),
         .stem = "addmm", PARAMETERS(matrices), PRODUCT(&addmm));

FUNCTION(aclnnInplaceAddmm,
         (const aclTensor *selfRef, const aclTensor *mat1, const aclTensor *mat2, const aclScalar *beta,
          const aclScalar *alpha, int8_t cubeMathType),
         (ARG(selfRef), ARG(mat1), ARG(mat2), ARG(beta), ARG(alpha), ARG(cubeMathType)), .stem = "addmm",
         PARAMETERS(matrices_in_place), PRODUCT(&addmm_in_place));

FUNCTION(aclnnBaddbmm,
         (const aclTensor *self, const aclTensor *batch1, const aclTensor *batch2, const aclScalar *beta,
          const aclScalar *alpha, aclTensor *out, int8_t cubeMathType),
         (ARG(self), ARG(batch1), ARG(batch2), ARG(beta), ARG(alpha), ARG(out), ARG(cubeMathType)),
         .stem = "baddbmm", PARAMETERS(batches), PRODUCT(&baddbmm));

FUNCTION(aclnnInplaceBaddbmm,
         (const aclTensor *selfRef, const aclTensor *batch1, const aclTensor *batch2, const aclScalar *beta,
          const aclScalar *alpha, int8_t cubeMathType),
         (ARG(selfRef), ARG(batch1), ARG(batch2), ARG(beta), ARG(alpha), ARG(cubeMathType)),
         .stem = "baddbmm", PARAMETERS(batches_in_place), PRODUCT(&baddbmm_in_place));

FUNCTION(aclnnAddbmm,
         (const aclTensor *self, const aclTensor *batch1, const aclTensor *batch2, const aclScalar *beta,
          const aclScalar *alpha, aclTensor *out, int8_t cubeMathType),
         (ARG(self), ARG(batch1), ARG(batch2), ARG(beta), ARG(alpha), ARG(out), ARG(cubeMathType)),
         .stem = "addbmm", PARAMETERS(batches), PRODUCT(&addbmm));

FUNCTION(aclnnInplaceAddbmm,
         (aclTensor * selfRef, const aclTensor *batch1, const aclTensor *batch2, const aclScalar *beta,
          const aclScalar *alpha, int8_t cubeMathType),
         (ARG(selfRef), ARG(batch1), ARG(batch2), ARG(beta), ARG(alpha), ARG(cubeMathType)), .stem = "addbmm",
         PARAMETERS(added_in_place), PRODUCT(&addbmm_in_place));
