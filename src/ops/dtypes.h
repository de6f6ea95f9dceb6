/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sets of dtypes that parameters accept. A set's name says what is in it:
 *
 *     dtypes_floats_integers_on_950_bool     the floats and the integers, and BOOL on Ascend950
 *
 * fp32, fp64, fp16, bf16: FLOAT, DOUBLE, FLOAT16, BFLOAT16; floats: these four; common_floats: without
 * BFLOAT16 on any product; integers: INT8 to INT64 and UINT8; naturals: UINT16 to UINT64; reals: floats,
 * integers, naturals and BOOL; complex: COMPLEX64 and COMPLEX128; all: reals and complex; float8: FLOAT8_E4M3FN
 * and FLOAT8_E5M2; float4: FLOAT4_E2M1 and FLOAT4_E1M2; small: these, FLOAT8_E8M0, HIFLOAT8 and INT4, all that
 * is stored, moved and converted, for functions that see elements of 4 bits one to a byte (ops/call_blocks.c).
 * Behind on_910b is what all but the oldest product have, behind on_950 what the newest alone
 * has, behind not_on_950 what it lacks. BFLOAT16 is never on the oldest product; floats of 8 and of 4 bits, and
 * all that is small, are on the newest alone, whatever a set says of others. A test reads the names.
 */
#ifndef BELAY_OPS_DTYPES_H
#define BELAY_OPS_DTYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/product.h"
#include "tensor/dtype.h"

enum { PRODUCTS = PRODUCT_950 + 1 };

/* A set of dtypes (DTYPE_BIT of each) per product: not every product has BFLOAT16. */
struct dtype_set {
    uint64_t on[PRODUCTS];
};

/* Of a number that is no dtype, as of ACL_DT_UNDEFINED, it is not so. */
static inline bool dtype_is_in(const struct dtype_set *set, enum product product, aclDataType dtype)
{
    return (unsigned)dtype < 64 && (set->on[product] >> dtype & 1) != 0;
}

/*
 * DTYPE_SETS(X): X(name, set), X is DTYPE_SET(bits), DTYPE_SET_MORE(bits, from 910B on, on 950) or, of the three
 * products, DTYPE_SET_BY_PRODUCT.
 */
/* clang-format off */
#define DTYPE_SETS(X) \
    X(dtypes_all, DTYPE_SET(DTYPES_ALL)) \
    X(dtypes_all_small, DTYPE_SET(DTYPES_ALL | DTYPES_SMALL)) \
    X(dtypes_reals, DTYPE_SET(DTYPES_REALS)) \
    X(dtypes_reals_small, DTYPE_SET(DTYPES_REALS | DTYPES_SMALL)) \
    X(dtypes_floats, DTYPE_SET(DTYPES_FLOATS)) \
    X(dtypes_floats_integers, DTYPE_SET(DTYPES_FLOATS | DTYPES_INTEGERS)) \
    X(dtypes_floats_integers_naturals, DTYPE_SET(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPES_NATURALS)) \
    X(dtypes_floats_integers_uint16_bool_complex, DTYPE_SET(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_UINT16) | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX)) \
    X(dtypes_floats_integers_uint16_bool_complex_small, DTYPE_SET(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_UINT16) | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX | DTYPES_SMALL)) \
    X(dtypes_floats_integers_uint16_bool_small, DTYPE_SET(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_UINT16) | DTYPE_BIT(ACL_BOOL) | DTYPES_SMALL)) \
    X(dtypes_floats_integers_bool, DTYPE_SET(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_floats_integers_bool_complex, DTYPE_SET(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX)) \
    X(dtypes_floats_integers_bool_complex_small, DTYPE_SET(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX | DTYPES_SMALL)) \
    X(dtypes_floats_integers_bool_complex64_small, DTYPE_SET(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPE_BIT(ACL_COMPLEX64) | DTYPES_SMALL)) \
    X(dtypes_floats_integers_bool_small, DTYPE_SET(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_SMALL)) \
    X(dtypes_floats_integers_complex, DTYPE_SET(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPES_COMPLEX)) \
    X(dtypes_floats_int8_int32_int64_uint8, DTYPE_SET(DTYPES_FLOATS | DTYPE_BIT(ACL_INT8) | DTYPES_INDICES | DTYPE_BIT(ACL_UINT8))) \
    X(dtypes_floats_int8_int32_int64_complex, DTYPE_SET(DTYPES_FLOATS | DTYPE_BIT(ACL_INT8) | DTYPES_INDICES | DTYPES_COMPLEX)) \
    X(dtypes_floats_int32_int64, DTYPE_SET(DTYPES_FLOATS | DTYPES_INDICES)) \
    X(dtypes_floats_int32_int64_bool_complex, DTYPE_SET(DTYPES_FLOATS | DTYPES_INDICES | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX)) \
    X(dtypes_floats_int64, DTYPE_SET(DTYPES_FLOATS | DTYPE_BIT(ACL_INT64))) \
    X(dtypes_floats_int64_bool_complex, DTYPE_SET(DTYPES_FLOATS | DTYPE_BIT(ACL_INT64) | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX)) \
    X(dtypes_floats_uint8, DTYPE_SET(DTYPES_FLOATS | DTYPE_BIT(ACL_UINT8))) \
    X(dtypes_floats_complex, DTYPE_SET(DTYPES_FLOATS | DTYPES_COMPLEX)) \
    X(dtypes_fp32_fp16_bf16, DTYPE_SET(DTYPES_FP32_FP16_BF16)) \
    X(dtypes_fp32_fp16_bf16_integers, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPES_INTEGERS)) \
    X(dtypes_fp32_fp16_bf16_integers_bool, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_fp32_fp16_bf16_integers_bool_complex, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX)) \
    X(dtypes_fp32_fp16_bf16_int8, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT8))) \
    X(dtypes_fp32_fp16_bf16_int8_int32_int64_uint8, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT8) | DTYPES_INDICES | DTYPE_BIT(ACL_UINT8))) \
    X(dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_bool_small, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT8) | DTYPES_INDICES | DTYPE_BIT(ACL_UINT8) | DTYPE_BIT(ACL_BOOL) | DTYPES_SMALL)) \
    X(dtypes_fp32_fp16_bf16_int8_int32, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32))) \
    X(dtypes_fp32_fp16_bf16_int8_int32_int4, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT4))) \
    X(dtypes_fp32_fp16_bf16_int8_hifloat8_float8, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_HIFLOAT8) | DTYPES_FLOAT8)) \
    X(dtypes_fp32_fp16_bf16_int8_hifloat8_float8_float4, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_HIFLOAT8) | DTYPES_FLOAT8 | DTYPES_FLOAT4)) \
    X(dtypes_fp32_fp16_bf16_int8_int32_int4_hifloat8_float8_float4, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT4) | DTYPE_BIT(ACL_HIFLOAT8) | DTYPES_FLOAT8 | DTYPES_FLOAT4)) \
    X(dtypes_fp32_fp16_bf16_int8_int32_small, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPES_SMALL)) \
    X(dtypes_fp32_fp16_bf16_int8_uint8_bool, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_UINT8) | DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_fp32_fp16_bf16_int32, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT32))) \
    X(dtypes_fp32_fp16_bf16_int64, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT64))) \
    X(dtypes_fp32_fp16_bf16_int64_bool, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT64) | DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_fp32_fp16_bf16_uint64, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_UINT64))) \
    X(dtypes_fp32_fp16_bf16_complex, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPES_COMPLEX)) \
    X(dtypes_fp32_fp16_bf16_complex64, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_COMPLEX64))) \
    X(dtypes_common_floats, DTYPE_SET(DTYPES_COMMON_FLOATS)) \
    X(dtypes_common_floats_integers_bool, DTYPE_SET(DTYPES_COMMON_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_common_floats_complex, DTYPE_SET(DTYPES_COMMON_FLOATS | DTYPES_COMPLEX)) \
    X(dtypes_fp16_bf16, DTYPE_SET(DTYPES_16_BITS)) \
    X(dtypes_fp16_bf16_int8, DTYPE_SET(DTYPES_16_BITS | DTYPE_BIT(ACL_INT8))) \
    X(dtypes_fp16_bf16_on_950_int32_hifloat8_float8_float4, DTYPE_SET_MORE(DTYPES_16_BITS, 0, DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_HIFLOAT8) | DTYPES_FLOAT8 | DTYPES_FLOAT4)) \
    X(dtypes_fp16_bf16_int8_on_950_int32_hifloat8_float8_float4, DTYPE_SET_MORE(DTYPES_16_BITS | DTYPE_BIT(ACL_INT8), 0, DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_HIFLOAT8) | DTYPES_FLOAT8 | DTYPES_FLOAT4)) \
    X(dtypes_fp16_bf16_int8_int32_int4, DTYPE_SET(DTYPES_16_BITS | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT4))) \
    X(dtypes_fp32_fp16_integers, DTYPE_SET(DTYPES_FP32_FP16 | DTYPES_INTEGERS)) \
    X(dtypes_fp32_fp16, DTYPE_SET(DTYPES_FP32_FP16)) \
    X(dtypes_fp32_fp16_int8_int32_int64_uint8, DTYPE_SET(DTYPES_FP32_FP16 | DTYPE_BIT(ACL_INT8) | DTYPES_INDICES | DTYPE_BIT(ACL_UINT8))) \
    X(dtypes_fp32, DTYPE_SET(DTYPE_BIT(ACL_FLOAT))) \
    X(dtypes_fp32_bf16_fp64, DTYPE_SET(DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_BF16) | DTYPE_BIT(ACL_DOUBLE))) \
    X(dtypes_fp32_fp16_bf16_int64_uint64, DTYPE_SET(DTYPES_FP32_FP16 | DTYPE_BIT(ACL_BF16) | DTYPE_BIT(ACL_INT64) | DTYPE_BIT(ACL_UINT64))) \
    X(dtypes_fp32_bf16_int8_int32_uint8, DTYPE_SET(DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_BF16) | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_UINT8))) \
    X(dtypes_fp32_fp64, DTYPE_SET(DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_DOUBLE))) \
    X(dtypes_fp32_fp64_int32_int64, DTYPE_SET(DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_DOUBLE) | DTYPES_INDICES)) \
    X(dtypes_fp32_fp64_complex, DTYPE_SET(DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_DOUBLE) | DTYPES_COMPLEX)) \
    X(dtypes_fp32_int64, DTYPE_SET(DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_INT64))) \
    X(dtypes_integers, DTYPE_SET(DTYPES_INTEGERS)) \
    X(dtypes_integers_naturals, DTYPE_SET(DTYPES_INTEGERS | DTYPES_NATURALS)) \
    X(dtypes_integers_naturals_bool, DTYPE_SET(DTYPES_INTEGERS | DTYPES_NATURALS | DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_float8_float4, DTYPE_SET(DTYPES_FLOAT8 | DTYPES_FLOAT4)) \
    X(dtypes_fp32_float8_e8m0, DTYPE_SET(DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_FLOAT8_E8M0))) \
    X(dtypes_fp32_fp16_bf16_int64_uint64_float8_e8m0, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT64) | DTYPE_BIT(ACL_UINT64) | DTYPE_BIT(ACL_FLOAT8_E8M0))) \
    X(dtypes_fp32_int8_int32_int4_hifloat8_float8_float4, DTYPE_SET(DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT4) | DTYPE_BIT(ACL_HIFLOAT8) | DTYPES_FLOAT8 | DTYPES_FLOAT4)) \
    X(dtypes_int8_int32_int4_hifloat8_float8_float4, DTYPE_SET(DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT4) | DTYPE_BIT(ACL_HIFLOAT8) | DTYPES_FLOAT8 | DTYPES_FLOAT4)) \
    X(dtypes_float8_e8m0, DTYPE_SET(DTYPE_BIT(ACL_FLOAT8_E8M0))) \
    X(dtypes_float4_e2m1, DTYPE_SET(DTYPE_BIT(ACL_FLOAT4_E2M1))) \
    X(dtypes_int8_int32_float8_float4, DTYPE_SET(DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPES_FLOAT8 | DTYPES_FLOAT4)) \
    X(dtypes_fp32_bf16, DTYPE_SET(DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_BF16))) \
    X(dtypes_hifloat8_float8, DTYPE_SET(DTYPE_BIT(ACL_HIFLOAT8) | DTYPES_FLOAT8)) \
    X(dtypes_int32_int4, DTYPE_SET(DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT4))) \
    X(dtypes_int32_int4_float4_e2m1, DTYPE_SET(DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT4) | DTYPE_BIT(ACL_FLOAT4_E2M1))) \
    X(dtypes_int8_float4_e2m1, DTYPE_SET(DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_FLOAT4_E2M1))) \
    X(dtypes_int8_hifloat8, DTYPE_SET(DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_HIFLOAT8))) \
    X(dtypes_int8_int32_uint8, DTYPE_SET(DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_UINT8))) \
    X(dtypes_int8_int32_int4_hifloat8_float8, DTYPE_SET(DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT4) | DTYPE_BIT(ACL_HIFLOAT8) | DTYPES_FLOAT8)) \
    X(dtypes_int8_int32_int4, DTYPE_SET(DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT4))) \
    X(dtypes_int8_uint8, DTYPE_SET(DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_UINT8))) \
    X(dtypes_int8, DTYPE_SET(DTYPE_BIT(ACL_INT8))) \
    X(dtypes_int8_hifloat8_float8_float4, DTYPE_SET(DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_HIFLOAT8) | DTYPES_FLOAT8 | DTYPES_FLOAT4)) \
    X(dtypes_int8_on_950_float8_hifloat8, DTYPE_SET_MORE(DTYPE_BIT(ACL_INT8), 0, DTYPES_FLOAT8 | DTYPE_BIT(ACL_HIFLOAT8))) \
    X(dtypes_int8_bool, DTYPE_SET(DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_int8_uint8_bool, DTYPE_SET(DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_UINT8) | DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_int32_int64, DTYPE_SET(DTYPES_INDICES)) \
    X(dtypes_int32_int64_uint8, DTYPE_SET(DTYPES_INDICES | DTYPE_BIT(ACL_UINT8))) \
    X(dtypes_int32_int64_bool, DTYPE_SET(DTYPES_INDICES | DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_int32, DTYPE_SET(DTYPE_BIT(ACL_INT32))) \
    X(dtypes_int64, DTYPE_SET(DTYPE_BIT(ACL_INT64))) \
    X(dtypes_int64_uint64, DTYPE_SET(DTYPE_BIT(ACL_INT64) | DTYPE_BIT(ACL_UINT64))) \
    X(dtypes_uint8, DTYPE_SET(DTYPE_BIT(ACL_UINT8))) \
    X(dtypes_uint8_bool, DTYPE_SET(DTYPE_BIT(ACL_UINT8) | DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_bool, DTYPE_SET(DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_complex, DTYPE_SET(DTYPES_COMPLEX)) \
    X(dtypes_complex64, DTYPE_SET(DTYPE_BIT(ACL_COMPLEX64))) \
    X(dtypes_all_not_on_950_integers_naturals_bool, DTYPE_SET_BY_PRODUCT(DTYPES_ALL, DTYPES_ALL, DTYPES_FLOATS | DTYPES_COMPLEX)) \
    X(dtypes_reals_complex64_small_on_910b_complex128, DTYPE_SET_MORE(DTYPES_REALS | DTYPE_BIT(ACL_COMPLEX64) | DTYPES_SMALL, DTYPE_BIT(ACL_COMPLEX128), 0)) \
    X(dtypes_reals_small_on_950_complex64, DTYPE_SET_MORE(DTYPES_REALS | DTYPES_SMALL, 0, DTYPE_BIT(ACL_COMPLEX64))) \
    X(dtypes_floats_integers_on_950_bool, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS, 0, DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_floats_integers_on_950_naturals, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS, 0, DTYPES_NATURALS)) \
    X(dtypes_floats_integers_on_950_uint16, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS, 0, DTYPE_BIT(ACL_UINT16))) \
    X(dtypes_floats_integers_bool_not_on_950_bool, DTYPE_SET_BY_PRODUCT(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL), DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL), DTYPES_FLOATS | DTYPES_INTEGERS)) \
    X(dtypes_floats_integers_bool_on_910b_complex64, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL), DTYPE_BIT(ACL_COMPLEX64), 0)) \
    X(dtypes_floats_integers_bool_on_950_naturals_not_on_950_fp64, DTYPE_SET_BY_PRODUCT(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL), DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL), DTYPES_FP32_FP16_BF16 | DTYPES_INTEGERS | DTYPES_NATURALS | DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_floats_integers_bool_complex_not_on_950_bool, DTYPE_SET_BY_PRODUCT(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX, DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX, DTYPES_FLOATS | DTYPES_INTEGERS | DTYPES_COMPLEX)) \
    X(dtypes_floats_integers_bool_complex_not_on_950_complex, DTYPE_SET_BY_PRODUCT(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX, DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX, DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_floats_integers_bool_complex_not_on_950_integers_bool, DTYPE_SET_BY_PRODUCT(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX, DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX, DTYPES_FLOATS | DTYPES_COMPLEX)) \
    X(dtypes_floats_integers_bool_complex_on_910b_naturals, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX, DTYPES_NATURALS, 0)) \
    X(dtypes_floats_integers_bool_complex_small_on_910b_naturals, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX | DTYPES_SMALL, DTYPES_NATURALS, 0)) \
    X(dtypes_floats_integers_bool_complex_small_on_950_naturals, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX | DTYPES_SMALL, 0, DTYPES_NATURALS)) \
    X(dtypes_floats_integers_bool_complex_small_on_950_uint16, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX | DTYPES_SMALL, 0, DTYPE_BIT(ACL_UINT16))) \
    X(dtypes_floats_integers_bool_complex_small_on_950_uint32_uint64, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_COMPLEX | DTYPES_SMALL, 0, DTYPE_BIT(ACL_UINT32) | DTYPE_BIT(ACL_UINT64))) \
    X(dtypes_floats_integers_bool_complex64_small_on_950_naturals, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPE_BIT(ACL_COMPLEX64) | DTYPES_SMALL, 0, DTYPES_NATURALS)) \
    X(dtypes_floats_integers_bool_small_on_910b_complex, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_SMALL, DTYPES_COMPLEX, 0)) \
    X(dtypes_floats_integers_bool_small_on_910b_complex_on_950_naturals, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_SMALL, DTYPES_COMPLEX, DTYPES_NATURALS)) \
    X(dtypes_floats_integers_bool_small_on_950_naturals, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_SMALL, 0, DTYPES_NATURALS)) \
    X(dtypes_floats_integers_small_on_910b_complex_on_950_naturals_bool, DTYPE_SET_MORE(DTYPES_FLOATS | DTYPES_INTEGERS | DTYPES_SMALL, DTYPES_COMPLEX, DTYPES_NATURALS | DTYPE_BIT(ACL_BOOL))) \
    X(dtypes_fp32_fp16_bf16_integers_on_950_naturals, DTYPE_SET_MORE(DTYPES_FP32_FP16_BF16 | DTYPES_INTEGERS, 0, DTYPES_NATURALS)) \
    X(dtypes_fp32_fp16_bf16_integers_on_950_uint16, DTYPE_SET_MORE(DTYPES_FP32_FP16_BF16 | DTYPES_INTEGERS, 0, DTYPE_BIT(ACL_UINT16))) \
    X(dtypes_fp32_fp16_bf16_integers_bool_on_950_naturals, DTYPE_SET_MORE(DTYPES_FP32_FP16_BF16 | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL), 0, DTYPES_NATURALS)) \
    X(dtypes_fp32_fp16_bf16_integers_bool_small_on_950_naturals, DTYPE_SET_MORE(DTYPES_FP32_FP16_BF16 | DTYPES_INTEGERS | DTYPE_BIT(ACL_BOOL) | DTYPES_SMALL, 0, DTYPES_NATURALS)) \
    X(dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_uint32_bool_small_on_910b_int16_on_950_complex64, DTYPE_SET_MORE(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT8) | DTYPES_INDICES | DTYPE_BIT(ACL_UINT8) | DTYPE_BIT(ACL_UINT32) | DTYPE_BIT(ACL_BOOL) | DTYPES_SMALL, DTYPE_BIT(ACL_INT16), DTYPE_BIT(ACL_COMPLEX64))) \
    X(dtypes_fp32_fp16_bf16_int8_int16_int32_uint8_uint16_uint32_float8, DTYPE_SET(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT16) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_UINT8) | DTYPE_BIT(ACL_UINT16) | DTYPE_BIT(ACL_UINT32) | DTYPES_FLOAT8)) \
    X(dtypes_fp32_fp16_bf16_int8_int32_uint8_on_950_int64, DTYPE_SET_MORE(DTYPES_FP32_FP16_BF16 | DTYPE_BIT(ACL_INT8) | DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_UINT8), 0, DTYPE_BIT(ACL_INT64)))
/* clang-format on */

/* Whether elements of 4 bits are such a function's. */
#define DTYPES_HAVE_SMALL(set) (((set)&DTYPES_SMALL) == DTYPES_SMALL)

/* What of a set the older products lack: INT4 are other functions' there, too. */
#define DTYPES_OF_950(set) (DTYPES_SMALL & ~(!DTYPES_HAVE_SMALL(set) * DTYPE_BIT(ACL_INT4)))
#define DTYPE_SET_BY_PRODUCT(on_910a, on_910b, on_950)                                    \
    {                                                                                     \
        .on = {                                                                           \
            [PRODUCT_910A] = (on_910a) & ~(DTYPE_BIT(ACL_BF16) | DTYPES_OF_950(on_910a)), \
            [PRODUCT_910B] = (on_910b) & ~DTYPES_OF_950(on_910b),                         \
            [PRODUCT_950] = (on_950),                                                     \
        }                                                                                 \
    }
#define DTYPE_SET(set) DTYPE_SET_BY_PRODUCT(set, set, set)
#define DTYPE_SET_MORE(set, on_910b, on_950) \
    DTYPE_SET_BY_PRODUCT(set, (set) | (on_910b), (set) | (on_910b) | (on_950))

#define DECLARE_DTYPES(name, ...) extern const struct dtype_set name;
DTYPE_SETS(DECLARE_DTYPES)
#undef DECLARE_DTYPES

#endif
