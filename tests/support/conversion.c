/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "support/conversion.h"

#include <string.h>

__extension__ typedef __int128 wide;

const aclDataType conversion_dtypes[CONVERSION_DTYPES] = {
    ACL_FLOAT, ACL_FLOAT16, ACL_BF16,   ACL_DOUBLE, ACL_INT8, ACL_INT16,     ACL_INT32,     ACL_INT64,
    ACL_UINT8, ACL_UINT16,  ACL_UINT32, ACL_UINT64, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128};

enum kind { KIND_FLOAT, KIND_SIGNED, KIND_UNSIGNED, KIND_BOOL };

/* Of a real dtype, or of one part of a complex number. least is the exponent of the smallest number. */
struct format {
    enum kind kind;
    int bits, precision, least;
};

static struct format format_of(aclDataType dtype)
{
    switch (dtype) {
    case ACL_FLOAT16:
        return (struct format){KIND_FLOAT, 16, 11, -24};
    case ACL_BF16:
        return (struct format){KIND_FLOAT, 16, 8, -133};
    case ACL_FLOAT:
    case ACL_COMPLEX64:
        return (struct format){KIND_FLOAT, 32, 24, -149};
    case ACL_DOUBLE:
    case ACL_COMPLEX128:
        return (struct format){KIND_FLOAT, 64, 53, -1074};
    case ACL_INT8:
        return (struct format){KIND_SIGNED, 8, 0, 0};
    case ACL_INT16:
        return (struct format){KIND_SIGNED, 16, 0, 0};
    case ACL_INT32:
        return (struct format){KIND_SIGNED, 32, 0, 0};
    case ACL_INT64:
        return (struct format){KIND_SIGNED, 64, 0, 0};
    case ACL_UINT8:
        return (struct format){KIND_UNSIGNED, 8, 0, 0};
    case ACL_UINT16:
        return (struct format){KIND_UNSIGNED, 16, 0, 0};
    case ACL_UINT32:
        return (struct format){KIND_UNSIGNED, 32, 0, 0};
    case ACL_UINT64:
        return (struct format){KIND_UNSIGNED, 64, 0, 0};
    default:
        return (struct format){KIND_BOOL, 8, 0, 0};
    }
}

static bool is_complex(aclDataType dtype)
{
    return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
}

size_t conversion_bytes(aclDataType dtype)
{
    return (size_t)format_of(dtype).bits / 8 * (is_complex(dtype) ? 2 : 1);
}

/* +-significand * 2^exponent, or one of the others. */
struct number {
    bool is_nan, is_infinite, is_minus;
    uint64_t significand;
    int exponent;
};

static uint64_t read_bits(const void *from, int bits)
{
    uint64_t value = 0; /* little-endian, like everything here */
    memcpy(&value, from, (size_t)bits / 8);
    return value;
}

static struct number decode(const void *from, struct format format)
{
    uint64_t bits = read_bits(from, format.bits);
    if (format.kind == KIND_BOOL)
        return (struct number){.significand = bits != 0};
    if (format.kind == KIND_UNSIGNED)
        return (struct number){.significand = bits};
    bool is_minus = bits >> (format.bits - 1) & 1;
    if (format.kind == KIND_SIGNED) {
        uint64_t mask = format.bits == 64 ? UINT64_MAX : (UINT64_C(1) << format.bits) - 1;
        return (struct number){.is_minus = is_minus, .significand = is_minus ? (0 - bits) & mask : bits};
    }
    int fraction_bits = format.precision - 1, exponent_bits = format.bits - format.precision;
    uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    int field = (int)(bits >> fraction_bits & ((UINT64_C(1) << exponent_bits) - 1));
    struct number number = {.is_minus = is_minus, .significand = fraction, .exponent = format.least};
    if (field == (1 << exponent_bits) - 1) {
        number.is_nan = fraction != 0;
        number.is_infinite = fraction == 0;
    } else if (field > 0) {
        number.significand |= UINT64_C(1) << fraction_bits;
        number.exponent += field - 1;
    }
    return number;
}

static uint64_t encode_float(struct number number, struct format format)
{
    int fraction_bits = format.precision - 1;
    uint64_t sign = (uint64_t)number.is_minus << (format.bits - 1);
    uint64_t exponent_max = (UINT64_C(1) << (format.bits - format.precision)) - 1;
    uint64_t infinity = exponent_max << fraction_bits;
    if (number.is_nan)
        return infinity | UINT64_C(1) << (fraction_bits - 1);
    if (number.is_infinite)
        return sign | infinity;
    if (number.significand == 0)
        return sign;
    int width = 64 - __builtin_clzll(number.significand);
    int unit = number.exponent + width - format.precision;
    unit = unit < format.least ? format.least : unit;
    int shift = unit - number.exponent;
    wide kept = 0;
    if (shift <= 0) {
        kept = (wide)number.significand << -shift;
    } else if (shift <= 65) {
        wide half = (wide)1 << (shift - 1), lost = (wide)number.significand & (2 * half - 1);
        kept = (wide)number.significand >> shift;
        kept += lost > half || (lost == half && kept % 2 == 1);
    }
    if (kept >> format.precision != 0) {
        kept /= 2;
        unit++;
    }
    if (kept >> fraction_bits == 0)
        return sign | (uint64_t)kept;
    uint64_t field = (uint64_t)(unit - format.least + 1);
    return sign | (field >= exponent_max
                       ? infinity
                       : (field << fraction_bits) + ((uint64_t)kept & ((UINT64_C(1) << fraction_bits) - 1)));
}

static wide clamp(wide value, wide least, wide most)
{
    return value < least ? least : value > most ? most : value;
}

static uint64_t encode_integer(struct number number, struct format format, bool is_from_float)
{
    wide magnitude = 0;
    if (number.is_infinite || number.exponent > 63)
        magnitude = (wide)1 << 100;
    else if (number.exponent >= 0)
        magnitude = (wide)number.significand << number.exponent;
    else if (number.exponent > -64)
        magnitude = number.significand >> -number.exponent;
    if (number.is_nan || number.significand == 0)
        magnitude = number.is_infinite ? magnitude : 0;
    wide value = number.is_minus ? -magnitude : magnitude, power = (wide)1 << format.bits;
    if (is_from_float && format.bits < 32)
        value = clamp(value, INT64_MIN, INT64_MAX);
    else if (is_from_float && format.kind == KIND_SIGNED)
        value = clamp(value, -power / 2, power / 2 - 1);
    else if (is_from_float)
        value = clamp(value, 0, power - 1);
    return (uint64_t)value;
}

static bool is_zero(struct number number)
{
    return !number.is_nan && !number.is_infinite && number.significand == 0;
}

void conversion_reference(const void *from, aclDataType from_dtype, void *to, aclDataType to_dtype)
{
    if (from_dtype == to_dtype) {
        memcpy(to, from, conversion_bytes(to_dtype));
        return;
    }
    const struct format source = format_of(from_dtype), target = format_of(to_dtype);
    const struct number nothing = {0};
    struct number real = decode(from, source), imaginary = nothing;
    if (is_complex(from_dtype))
        imaginary = decode((const char *)from + source.bits / 8, source);
    size_t bytes = (size_t)target.bits / 8;
    uint64_t bits;
    if (target.kind == KIND_FLOAT)
        bits = encode_float(real, target);
    else if (target.kind == KIND_BOOL)
        bits = !is_zero(real) || !is_zero(imaginary);
    else
        bits = encode_integer(real, target, source.kind == KIND_FLOAT);
    memcpy(to, &bits, bytes);
    if (is_complex(to_dtype)) {
        bits = encode_float(imaginary, target);
        memcpy((char *)to + bytes, &bits, bytes);
    }
}
