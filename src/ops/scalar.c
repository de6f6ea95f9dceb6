/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tests and conversions of scalar arguments.
 */
#include "ops/scalar.h"

#include <stdint.h>
#include <string.h>

#include "ops/transfer.h"
#include "base/float_environment.h"
#include "tensor/dtype.h"

static const uint64_t FP64_SIGN = UINT64_C(1) << 63, FP64_INFINITY = UINT64_C(0x7FF) << 52;

static bool is_natural(aclDataType dtype)
{
    return dtype_is_one_of(dtype, DTYPES_NATURALS | DTYPE_BIT(ACL_UINT8));
}

static bool is_integer(aclDataType dtype)
{
    return dtype_is_one_of(dtype, (DTYPES_INTEGERS & ~DTYPE_BIT(ACL_UINT8)) | DTYPE_BIT(ACL_BOOL));
}

static uint64_t fp64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t canonical_bits(double value)
{
    uint64_t bits = fp64_bits(value);
    return (bits & ~FP64_SIGN) > FP64_INFINITY ? FP64_INFINITY | UINT64_C(1) << 51 : bits;
}

bool fp32_is_zero_or_more(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits <= UINT32_C(0x7F800000) || bits == UINT32_C(1) << 31;
}

bool scalar_is_negative(const struct scalar_value *scalar)
{
    if (is_natural(scalar->dtype))
        return false;
    if (is_integer(scalar->dtype))
        return scalar->value.integer < 0;
    uint64_t bits = fp64_bits(scalar->value.real);
    return bits > FP64_SIGN && bits <= (FP64_SIGN | FP64_INFINITY);
}

/* Every scalar is one of four dtypes exactly; from there it goes the way of an element. */
void scalar_convert(const struct scalar_value *scalar, aclDataType dtype, void *element)
{
    uint64_t value[2] = {0, 0};
    aclDataType stored = ACL_DOUBLE;
    if (dtype_is_one_of(scalar->dtype, DTYPES_COMPLEX)) {
        stored = ACL_COMPLEX128;
        for (int i = 0; i < 2 && dtype_is_one_of(dtype, DTYPES_COMPLEX); i++)
            value[i] = canonical_bits(scalar->value.complex_[i]);
    } else if (is_natural(scalar->dtype)) {
        stored = ACL_UINT64;
        value[0] = scalar->value.natural;
    } else if (is_integer(scalar->dtype)) {
        stored = ACL_INT64;
        memcpy(value, &scalar->value.integer, sizeof scalar->value.integer);
    } else {
        value[0] = canonical_bits(scalar->value.real);
    }
    if (stored == dtype) {
        memcpy(element, value, dtype_bytes(dtype));
        return;
    }
    struct float_environment saved = float_environment_enter();
    transfer_of(ISA_BASELINE)->convert(value, stored, element, dtype, 1);
    float_environment_leave(saved);
}

/* What no rounding can change. */
static bool is_fp32_already(const struct scalar_value *scalar)
{
    if (is_integer(scalar->dtype))
        return scalar->value.integer >= -(1 << 24) && scalar->value.integer <= 1 << 24;
    return dtype_is_one_of(scalar->dtype, DTYPES_16_BITS | DTYPE_BIT(ACL_FLOAT)) &&
           (fp64_bits(scalar->value.real) & ~FP64_SIGN) <= FP64_INFINITY;
}

double scalar_to_fp32(const struct scalar_value *scalar)
{
    if (is_fp32_already(scalar))
        return is_integer(scalar->dtype) ? (double)scalar->value.integer : scalar->value.real;
    float rounded;
    double value;
    scalar_convert(scalar, ACL_FLOAT, &rounded);
    struct float_environment saved = float_environment_enter(); /* which could take subnormals for 0 */
    transfer_of(ISA_BASELINE)->convert(&rounded, ACL_FLOAT, &value, ACL_DOUBLE, 1);
    float_environment_leave(saved);
    return value;
}

double scalar_to_fp64(const struct scalar_value *scalar)
{
    double value;
    scalar_convert(scalar, ACL_DOUBLE, &value);
    return value;
}

bool scalar_is_exact(const struct scalar_value *scalar, aclDataType dtype)
{
    const int fraction_bits = dtype == ACL_FLOAT16 ? 10 : 7,
              least_exponent = dtype == ACL_FLOAT16 ? -14 : -126;
    if (!dtype_is_one_of(dtype, DTYPES_16_BITS) || dtype_is_one_of(scalar->dtype, DTYPES_COMPLEX))
        return true;
    /* The magnitude as an integer times a power of two. */
    uint64_t significand = scalar->value.natural;
    int exponent = 0;
    if (is_integer(scalar->dtype)) {
        significand = scalar->value.integer < 0 ? 0 - significand : significand;
    } else if (!is_natural(scalar->dtype)) {
        uint64_t bits = fp64_bits(scalar->value.real);
        int field = (int)(bits >> 52 & 0x7FF);
        if (field == 0x7FF)
            return true;
        significand = (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(field != 0) << 52;
        exponent = (field == 0 ? 1 : field) - 1075;
    }
    if (significand == 0)
        return true;
    int zeros = __builtin_ctzll(significand), top = exponent + 63 - __builtin_clzll(significand);
    return top - exponent - zeros <= fraction_bits && exponent + zeros >= least_exponent - fraction_bits &&
           top <= 1 - least_exponent;
}

struct scalar_value scalar_of_sum(const struct scalar_value *scalar, aclDataType tensor, enum product product)
{
    if (product == PRODUCT_950 || scalar_is_exact(scalar, tensor))
        return *scalar;
    uint16_t narrow;
    struct scalar_value rounded = {.dtype = ACL_DOUBLE};
    scalar_convert(scalar, tensor, &narrow);
    struct float_environment saved = float_environment_enter();
    transfer_of(ISA_BASELINE)->convert(&narrow, tensor, &rounded.value.real, ACL_DOUBLE, 1);
    float_environment_leave(saved);
    return rounded;
}
