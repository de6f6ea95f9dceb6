/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sets of dtypes that parameters accept.
 */
#include "ops/dtype_set.h"

#include "tensor/dtype.h"

/* Every product has the dtypes of a set but for BFLOAT16, which the oldest lacks. */
#define WITH_BF16(set)                                    \
    {                                                     \
        .on = {                                           \
            [PRODUCT_910A] = (set),                       \
            [PRODUCT_910B] = (set) | DTYPE_BIT(ACL_BF16), \
            [PRODUCT_950] = (set) | DTYPE_BIT(ACL_BF16),  \
        }                                                 \
    }

#define FP32_FP16 (DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_FLOAT16))
#define FLOATS    (FP32_FP16 | DTYPE_BIT(ACL_DOUBLE))
#define INTEGERS                                                                                \
    (DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT16) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64) | \
     DTYPE_BIT(ACL_UINT8) | DTYPE_BIT(ACL_BOOL))
#define RELU_INTEGERS (DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_UINT8))
#define NATURALS      (DTYPE_BIT(ACL_UINT16) | DTYPE_BIT(ACL_UINT32) | DTYPE_BIT(ACL_UINT64))
#define COMPLEXES     (DTYPE_BIT(ACL_COMPLEX64) | DTYPE_BIT(ACL_COMPLEX128))

const struct dtype_set dtypes_fp32_fp16_bf16 = WITH_BF16(FP32_FP16);
const struct dtype_set dtypes_floats = WITH_BF16(FLOATS);
const struct dtype_set dtypes_float_results = WITH_BF16(FLOATS | COMPLEXES);
const struct dtype_set dtypes_castable_to_fp32 = WITH_BF16(FLOATS | INTEGERS | NATURALS);
const struct dtype_set dtypes_real_scalars = WITH_BF16(FLOATS | INTEGERS);
const struct dtype_set dtypes_arithmetic = WITH_BF16(FLOATS | INTEGERS | COMPLEXES);
const struct dtype_set dtypes_numbers = WITH_BF16(FLOATS | (INTEGERS & ~DTYPE_BIT(ACL_BOOL)) | COMPLEXES);
const struct dtype_set dtypes_quotients = {
    .on = {
        [PRODUCT_910A] = FLOATS | INTEGERS | NATURALS | COMPLEXES,
        [PRODUCT_910B] = FLOATS | INTEGERS | NATURALS | COMPLEXES | DTYPE_BIT(ACL_BF16),
        [PRODUCT_950] = FLOATS | COMPLEXES | DTYPE_BIT(ACL_BF16),
    }};
const struct dtype_set dtypes_own_quotients = {
    .on = {
        [PRODUCT_910A] = FLOATS | INTEGERS | COMPLEXES,
        [PRODUCT_910B] = FLOATS | INTEGERS | COMPLEXES | DTYPE_BIT(ACL_BF16),
        [PRODUCT_950] = FLOATS | COMPLEXES | DTYPE_BIT(ACL_BF16),
    }};
const struct dtype_set dtypes_all = WITH_BF16(FLOATS | INTEGERS | NATURALS | COMPLEXES);
const struct dtype_set dtypes_fill_scalar = {
    .on = {
        [PRODUCT_910A] = FLOATS | INTEGERS | COMPLEXES,
        [PRODUCT_910B] = FLOATS | INTEGERS | NATURALS | COMPLEXES | DTYPE_BIT(ACL_BF16),
        [PRODUCT_950] = FLOATS | INTEGERS | NATURALS | COMPLEXES | DTYPE_BIT(ACL_BF16),
    }};
const struct dtype_set dtypes_zero = WITH_BF16(FLOATS | INTEGERS | DTYPE_BIT(ACL_UINT16) | COMPLEXES);
const struct dtype_set dtypes_ones = WITH_BF16(FLOATS | INTEGERS);
const struct dtype_set dtypes_relu = WITH_BF16(FP32_FP16 | RELU_INTEGERS | DTYPE_BIT(ACL_INT64));
const struct dtype_set dtypes_sigmoid = WITH_BF16(FLOATS | INTEGERS | COMPLEXES);
const struct dtype_set dtypes_selu = WITH_BF16(FP32_FP16 | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32));
const struct dtype_set dtypes_hardsigmoid = WITH_BF16(FP32_FP16 | DTYPE_BIT(ACL_INT32));
const struct dtype_set dtypes_real_numbers = WITH_BF16(FLOATS | (INTEGERS & ~DTYPE_BIT(ACL_BOOL)));
const struct dtype_set dtypes_addcmul =
    WITH_BF16(FLOATS | (INTEGERS & ~(DTYPE_BIT(ACL_BOOL) | DTYPE_BIT(ACL_INT16))));
const struct dtype_set dtypes_addcdiv = WITH_BF16(FLOATS | DTYPE_BIT(ACL_INT64));
const struct dtype_set dtypes_bits = {.on = {[PRODUCT_910A] = INTEGERS | NATURALS,
                                             [PRODUCT_910B] = INTEGERS | NATURALS,
                                             [PRODUCT_950] = INTEGERS | NATURALS}};
const struct dtype_set dtypes_remainder = WITH_BF16(FLOATS | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64));
#define TRUTH DTYPE_BIT(ACL_BOOL)
#define MASKS (TRUTH | DTYPE_BIT(ACL_UINT8))
const struct dtype_set dtypes_truth = {
    .on = {[PRODUCT_910A] = TRUTH, [PRODUCT_910B] = TRUTH, [PRODUCT_950] = TRUTH}};
const struct dtype_set dtypes_bool_or_uint8 = {
    .on = {[PRODUCT_910A] = MASKS, [PRODUCT_910B] = MASKS, [PRODUCT_950] = MASKS}};
const struct dtype_set dtypes_tanh = WITH_BF16(FP32_FP16 | INTEGERS);
const struct dtype_set dtypes_threshold = {
    .on = {
        [PRODUCT_910A] = FP32_FP16 | RELU_INTEGERS,
        [PRODUCT_910B] = FP32_FP16 | RELU_INTEGERS | DTYPE_BIT(ACL_BF16),
        [PRODUCT_950] = FP32_FP16 | RELU_INTEGERS | DTYPE_BIT(ACL_INT64) | DTYPE_BIT(ACL_BF16),
    }};
const struct dtype_set dtypes_permute = {
    .on = {
        [PRODUCT_910A] = FLOATS | INTEGERS | NATURALS | DTYPE_BIT(ACL_COMPLEX64),
        [PRODUCT_910B] = FLOATS | INTEGERS | NATURALS | COMPLEXES | DTYPE_BIT(ACL_BF16),
        [PRODUCT_950] = FLOATS | INTEGERS | NATURALS | COMPLEXES | DTYPE_BIT(ACL_BF16),
    }};
const struct dtype_set dtypes_cat = {
    .on = {
        [PRODUCT_910A] = FLOATS | INTEGERS | DTYPE_BIT(ACL_COMPLEX64),
        [PRODUCT_910B] = FLOATS | INTEGERS | DTYPE_BIT(ACL_COMPLEX64) | DTYPE_BIT(ACL_BF16),
        [PRODUCT_950] = FLOATS | INTEGERS | NATURALS | DTYPE_BIT(ACL_COMPLEX64) | DTYPE_BIT(ACL_BF16),
    }};
#define INDICES (DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64))
const struct dtype_set dtypes_indices = {
    .on = {[PRODUCT_910A] = INDICES, [PRODUCT_910B] = INDICES, [PRODUCT_950] = INDICES}};
const struct dtype_set dtypes_indices_or_masks = {.on = {
                                                      [PRODUCT_910A] = INDICES | DTYPE_BIT(ACL_BOOL),
                                                      [PRODUCT_910B] = INDICES | DTYPE_BIT(ACL_BOOL),
                                                      [PRODUCT_950] = INDICES | DTYPE_BIT(ACL_BOOL),
                                                  }};
