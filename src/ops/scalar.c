/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tests and conversions of scalar arguments.
 */
#include "ops/scalar.h"

#include <stdint.h>
#include <string.h>

#include "ops/transfer.h"
#include "runtime/float_environment.h"
#include "tensor/dtype.h"

static const uint64_t FP64_SIGN = UINT64_C(1) << 63, FP64_INFINITY = UINT64_C(0x7FF) << 52;

struct format {
    int fraction_bits;
    int least_exponent; /* of a normal number */
    uint64_t infinity;  /* its bits */
};

static const struct format fp32 = {23, -126, UINT64_C(0xFF) << 23};
static const struct format fp64 = {52, -1022, UINT64_C(0x7FF) << 52};

bool fp32_is_zero_or_more(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits <= fp32.infinity || bits == UINT32_C(1) << 31;
}

static bool is_natural(aclDataType dtype)
{
    return dtype == ACL_UINT8 || dtype == ACL_UINT16 || dtype == ACL_UINT32 || dtype == ACL_UINT64;
}

static bool is_integer(aclDataType dtype)
{
    return dtype == ACL_INT8 || dtype == ACL_INT16 || dtype == ACL_INT32 || dtype == ACL_INT64 ||
           dtype == ACL_BOOL;
}

bool scalar_is_negative(const struct scalar_value *scalar)
{
    if (is_natural(scalar->dtype))
        return false;
    if (is_integer(scalar->dtype))
        return scalar->value.integer < 0;
    uint64_t bits;
    memcpy(&bits, &scalar->value.real, sizeof bits);
    return bits > FP64_SIGN && bits <= (FP64_SIGN | FP64_INFINITY);
}

/*
 * The bits of the positive number that is nearest to significand * 2^exponent, ties to even. A fraction that
 * rounds up to the next power of two carries into the exponent by itself, and so into infinity. significand
 * is not 0.
 */
static uint64_t encode(uint64_t significand, int exponent, const struct format *format)
{
    int width = 64 - __builtin_clzll(significand), top = exponent + width - 1;
    bool is_subnormal = top < format->least_exponent;
    int shift = width - 1 - format->fraction_bits + (is_subnormal ? format->least_exponent - top : 0);
    if (shift > 63)
        return 0; /* only for an fp64 of 53 bits, which is then less than half of the least number */

    uint64_t kept = significand;
    if (shift <= 0) {
        kept <<= -shift;
    } else {
        uint64_t lost = significand & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
        kept >>= shift;
        kept += lost > half || (lost == half && (kept & 1) != 0);
    }
    /* A normal number's leading bit adds the 1 that is missing in the exponent here. */
    uint64_t field = is_subnormal ? 0 : (uint64_t)(top - format->least_exponent);
    uint64_t bits = (field << format->fraction_bits) + kept;
    /* What rounds up to the first number beyond the greatest one has the bits of infinity already. */
    return top > 1 - format->least_exponent ? format->infinity : bits;
}

/* The bits of the scalar in the format; the sign is given apart. */
static uint64_t convert_scalar(const struct scalar_value *scalar, const struct format *format, bool *is_minus)
{
    *is_minus = false;
    if (is_natural(scalar->dtype))
        return scalar->value.natural == 0 ? 0 : encode(scalar->value.natural, 0, format);
    if (is_integer(scalar->dtype)) {
        int64_t value = scalar->value.integer;
        *is_minus = value < 0;
        return value == 0 ? 0 : encode(value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 0, format);
    }

    uint64_t bits;
    memcpy(&bits, &scalar->value.real, sizeof bits);
    uint64_t magnitude = bits & ~FP64_SIGN, fraction = bits & ((UINT64_C(1) << 52) - 1);
    int field = (int)(magnitude >> 52);
    if (magnitude > FP64_INFINITY)
        return format->infinity | UINT64_C(1) << (format->fraction_bits - 1);
    *is_minus = bits != magnitude;
    if (magnitude == FP64_INFINITY)
        return format->infinity;
    if (magnitude == 0)
        return 0;
    return field == 0 ? encode(fraction, -1074, format)
                      : encode(fraction | UINT64_C(1) << 52, field - 1075, format);
}

static double fp64_from(uint64_t bits, bool is_minus)
{
    double value;
    bits |= (uint64_t)is_minus << 63;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* What no rounding can change: the value of a scalar that was given in fp32 or less, unless it is NaN. */
static bool is_fp32_already(const struct scalar_value *scalar)
{
    uint64_t bits;
    memcpy(&bits, &scalar->value.real, sizeof bits);
    return (scalar->dtype == ACL_FLOAT || scalar->dtype == ACL_FLOAT16 || scalar->dtype == ACL_BF16) &&
           (bits & ~FP64_SIGN) <= FP64_INFINITY;
}

double scalar_to_fp32(const struct scalar_value *scalar)
{
    if (is_fp32_already(scalar))
        return scalar->value.real;
    bool is_minus;
    uint64_t bits = convert_scalar(scalar, &fp32, &is_minus), leading = UINT64_C(1) << fp32.fraction_bits;
    if (bits > fp32.infinity)
        bits = fp64.infinity | UINT64_C(1) << (fp64.fraction_bits - 1);
    else if (bits == fp32.infinity)
        bits = fp64.infinity;
    else if (bits >= leading)
        bits = encode((bits & (leading - 1)) | leading, (int)(bits >> fp32.fraction_bits) - 150, &fp64);
    else if (bits > 0)
        bits = encode(bits, -149, &fp64);
    return fp64_from(bits, is_minus);
}

double scalar_to_fp64(const struct scalar_value *scalar)
{
    bool is_minus;
    uint64_t bits = convert_scalar(scalar, &fp64, &is_minus);
    return fp64_from(bits, is_minus);
}

static bool is_complex(aclDataType dtype)
{
    return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
}

static uint64_t canonical_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & ~FP64_SIGN) > FP64_INFINITY ? FP64_INFINITY | UINT64_C(1) << 51 : bits;
}

/* Every scalar is one of four dtypes exactly; from there it goes the way of an element. */
void scalar_convert(const struct scalar_value *scalar, aclDataType dtype, void *element)
{
    uint64_t value[2] = {0, 0};
    aclDataType stored = ACL_DOUBLE;
    if (is_complex(scalar->dtype)) {
        stored = ACL_COMPLEX128;
        value[0] = is_complex(dtype) ? canonical_bits(scalar->value.complex_[0]) : 0;
        value[1] = is_complex(dtype) ? canonical_bits(scalar->value.complex_[1]) : 0;
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

bool scalar_is_exact(const struct scalar_value *scalar, aclDataType dtype)
{
    static const struct format fp16 = {10, -14, UINT64_C(0x1F) << 10}, bf16 = {7, -126, UINT64_C(0xFF) << 7};
    const struct format *format = dtype == ACL_FLOAT16 ? &fp16 : dtype == ACL_BF16 ? &bf16 : NULL;
    if (format == NULL || is_complex(scalar->dtype))
        return true;
    /* The magnitude as an integer times a power of two. */
    uint64_t significand;
    int exponent = 0;
    if (is_natural(scalar->dtype)) {
        significand = scalar->value.natural;
    } else if (is_integer(scalar->dtype)) {
        int64_t value = scalar->value.integer;
        significand = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    } else {
        uint64_t bits;
        memcpy(&bits, &scalar->value.real, sizeof bits);
        int field = (int)(bits >> 52 & 0x7FF);
        if (field == 0x7FF)
            return true;
        significand = bits & ((UINT64_C(1) << 52) - 1);
        significand |= field == 0 ? 0 : UINT64_C(1) << 52;
        exponent = (field == 0 ? 1 : field) - 1075;
    }
    if (significand == 0)
        return true;
    int zeros = __builtin_ctzll(significand), width = 64 - __builtin_clzll(significand) - zeros;
    int last = exponent + zeros, top = last + width - 1;
    return width <= format->fraction_bits + 1 && last >= format->least_exponent - format->fraction_bits &&
           top <= 1 - format->least_exponent;
}
