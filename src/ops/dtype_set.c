/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sets of dtypes that parameters accept.
 */
#include "ops/dtype_set.h"

#include "ops/float8.h"
#include "tensor/dtype.h"

#define FLOATS        DTYPES_OLD_FLOATS
#define INTEGERS      (DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL))
#define NATURALS      DTYPES_NATURALS
#define COMPLEXES     DTYPES_COMPLEX
#define RELU_INTEGERS (DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_UINT8))

/* By product; the oldest has no BFLOAT16. */
#define BY_PRODUCT(oldest, other, newest)                   \
    {                                                       \
        .on = {                                             \
            [PRODUCT_910A] = (oldest),                      \
            [PRODUCT_910B] = (other) | DTYPE_BIT(ACL_BF16), \
            [PRODUCT_950] = (newest) | DTYPE_BIT(ACL_BF16), \
        }                                                   \
    }
#define WITH_BF16(set) BY_PRODUCT(set, set, set)

const struct dtype_set dtypes_fp32_fp16_bf16 = WITH_BF16(DTYPES_FP32_FP16);
const struct dtype_set dtypes_floats = WITH_BF16(FLOATS);
const struct dtype_set dtypes_float_results = WITH_BF16(FLOATS | COMPLEXES);
const struct dtype_set dtypes_castable_to_fp32 = WITH_BF16(FLOATS | INTEGERS | NATURALS);
const struct dtype_set dtypes_real_scalars = WITH_BF16(FLOATS | INTEGERS);
const struct dtype_set dtypes_arithmetic = WITH_BF16(FLOATS | INTEGERS | COMPLEXES);
const struct dtype_set dtypes_numbers = WITH_BF16(FLOATS | (INTEGERS & ~DTYPE_BIT(ACL_BOOL)) | COMPLEXES);
const struct dtype_set dtypes_quotients = BY_PRODUCT(
    FLOATS | INTEGERS | NATURALS | COMPLEXES, FLOATS | INTEGERS | NATURALS | COMPLEXES, FLOATS | COMPLEXES);
const struct dtype_set dtypes_own_quotients =
    BY_PRODUCT(FLOATS | INTEGERS | COMPLEXES, FLOATS | INTEGERS | COMPLEXES, FLOATS | COMPLEXES);
const struct dtype_set dtypes_all = WITH_BF16(FLOATS | INTEGERS | NATURALS | COMPLEXES);
const struct dtype_set dtypes_copied = SET_MOVED(FLOATS | INTEGERS | NATURALS | COMPLEXES, 0, 0);
const struct dtype_set dtypes_moved_numbers = SET_MOVED(FLOATS | INTEGERS | COMPLEXES, 0, 0);
const struct dtype_set dtypes_moved_reals = SET_MOVED(FLOATS | INTEGERS, 0, 0);
const struct dtype_set dtypes_fillable =
    BY_PRODUCT(FLOATS | INTEGERS | COMPLEXES, FLOATS | INTEGERS | NATURALS | COMPLEXES,
               FLOATS | INTEGERS | NATURALS | COMPLEXES | DTYPES_FLOAT8);
const struct dtype_set dtypes_fill_scalar =
    BY_PRODUCT(FLOATS | INTEGERS | COMPLEXES, FLOATS | INTEGERS | NATURALS | COMPLEXES,
               FLOATS | INTEGERS | NATURALS | COMPLEXES);
#define ZEROS (FLOATS | INTEGERS | DTYPE_BIT(ACL_UINT16) | COMPLEXES)
const struct dtype_set dtypes_zero = BY_PRODUCT(ZEROS, ZEROS, ZEROS | DTYPES_FLOAT8);
const struct dtype_set dtypes_ones = SET_MOVED(FLOATS | INTEGERS | DTYPE_BIT(ACL_UINT16), 0, 0);
const struct dtype_set dtypes_relu = WITH_BF16(DTYPES_FP32_FP16 | RELU_INTEGERS | DTYPE_BIT(ACL_INT64));
const struct dtype_set dtypes_sigmoid = WITH_BF16(FLOATS | INTEGERS | COMPLEXES);
const struct dtype_set dtypes_selu = WITH_BF16(DTYPES_FP32_FP16 | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32));
const struct dtype_set dtypes_hardsigmoid = WITH_BF16(DTYPES_FP32_FP16 | DTYPE_BIT(ACL_INT32));
const struct dtype_set dtypes_real_numbers = WITH_BF16(FLOATS | (INTEGERS & ~DTYPE_BIT(ACL_BOOL)));
const struct dtype_set dtypes_addcmul =
    WITH_BF16(FLOATS | (INTEGERS & ~(DTYPE_BIT(ACL_BOOL) | DTYPE_BIT(ACL_INT16))));
const struct dtype_set dtypes_addcdiv = WITH_BF16(FLOATS | DTYPE_BIT(ACL_INT64));
const struct dtype_set dtypes_bits = {.on = {[PRODUCT_910A] = INTEGERS | NATURALS,
                                             [PRODUCT_910B] = INTEGERS | NATURALS,
                                             [PRODUCT_950] = INTEGERS | NATURALS}};
const struct dtype_set dtypes_remainder = WITH_BF16(FLOATS | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64));
#define TRUTH         DTYPE_BIT(ACL_BOOL)
#define TRUTH_OR_BYTE (TRUTH | DTYPE_BIT(ACL_UINT8))
const struct dtype_set dtypes_truth = {
    .on = {[PRODUCT_910A] = TRUTH, [PRODUCT_910B] = TRUTH, [PRODUCT_950] = TRUTH}};
const struct dtype_set dtypes_bool_or_uint8 = {
    .on = {[PRODUCT_910A] = TRUTH_OR_BYTE, [PRODUCT_910B] = TRUTH_OR_BYTE, [PRODUCT_950] = TRUTH_OR_BYTE}};
const struct dtype_set dtypes_tanh = WITH_BF16(DTYPES_FP32_FP16 | INTEGERS);
const struct dtype_set dtypes_threshold =
    BY_PRODUCT(DTYPES_FP32_FP16 | RELU_INTEGERS, DTYPES_FP32_FP16 | RELU_INTEGERS,
               DTYPES_FP32_FP16 | RELU_INTEGERS | DTYPE_BIT(ACL_INT64));
const struct dtype_set dtypes_permute = BY_PRODUCT(FLOATS | INTEGERS | NATURALS | DTYPE_BIT(ACL_COMPLEX64),
                                                   FLOATS | INTEGERS | NATURALS | COMPLEXES,
                                                   FLOATS | INTEGERS | NATURALS | COMPLEXES | DTYPES_FLOAT8);
const struct dtype_set dtypes_cat =
    BY_PRODUCT(FLOATS | INTEGERS | DTYPE_BIT(ACL_COMPLEX64), FLOATS | INTEGERS | DTYPE_BIT(ACL_COMPLEX64),
               FLOATS | INTEGERS | NATURALS | DTYPE_BIT(ACL_COMPLEX64) | DTYPES_FLOAT8);
#define INDICES (DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64))
#define MASKS   (INDICES | DTYPE_BIT(ACL_BOOL))
const struct dtype_set dtypes_indices = {.on = {INDICES, INDICES, INDICES}};
const struct dtype_set dtypes_indices_or_masks = {.on = {MASKS, MASKS, MASKS}};
