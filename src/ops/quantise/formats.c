/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A number is a whole number of the units that its exponent leaves to the format: it is rounded to one, and the
 * code follows from the exponent and that.
 */
#include "ops/quantise/formats.h"

#include <math.h>
#include <string.h>

static const struct number_format formats[] = {
    {.dtype = ACL_INT8, .is_whole = true, .most = 127, .emax = 6},
    {.dtype = ACL_INT4, .is_whole = true, .most = 7, .emax = 2},
    {.dtype = ACL_FLOAT8_E4M3FN,
     .mantissa_bits = 3,
     .least_exponent = -6,
     .nan = 0x7F,
     .emax = 8,
     .most = 448},
    {.dtype = ACL_FLOAT8_E5M2,
     .mantissa_bits = 2,
     .least_exponent = -14,
     .nan = 0x7E,
     .emax = 15,
     .most = 57344},
    {.dtype = ACL_HIFLOAT8, .mantissa_bits = 3, .least_exponent = -22, .emax = 15, .most = 32768},
    {.dtype = ACL_FLOAT4_E2M1, .mantissa_bits = 1, .least_exponent = 0, .emax = 2, .most = 6},
    {.dtype = ACL_FLOAT4_E1M2, .mantissa_bits = 2, .least_exponent = 0, .emax = 0, .most = 1.75},
};

const struct number_format *number_format_of(aclDataType dtype)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].dtype == dtype)
            return &formats[i];
    return NULL;
}

bool rounding_read(const char *text, enum rounding *rounding)
{
    static const char *const names[] = {
        [ROUNDING_RINT] = "rint", [ROUNDING_ROUND] = "round", [ROUNDING_FLOOR] = "floor",
        [ROUNDING_CEIL] = "ceil", [ROUNDING_TRUNC] = "trunc", [ROUNDING_HYBRID] = "hybrid"};
    *rounding = ROUNDING_RINT;
    for (size_t i = 0; text != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i]) == 0) {
            *rounding = (enum rounding)i;
            return true;
        }
    return text == NULL;
}

static double whole_of(double value, enum rounding rounding)
{
    switch (rounding) {
    case ROUNDING_RINT:
        return nearbyint(value);
    case ROUNDING_FLOOR:
        return floor(value);
    case ROUNDING_CEIL:
        return ceil(value);
    case ROUNDING_TRUNC:
        return trunc(value);
    case ROUNDING_ROUND:
    case ROUNDING_HYBRID:
        break;
    }
    return round(value);
}

static double power_of_two(int exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* Of a finite number; those that are subnormal have that of the least one that is not. */
static int exponent_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int)(bits >> 52 & 0x7FF) - 1023;
}

static uint8_t encode_whole(const struct number_format *format, enum rounding rounding, double value)
{
    const double whole = whole_of(value, rounding), least = -format->most - 1;
    const double near = whole < least ? least : whole > format->most ? format->most : whole;
    return whole != whole ? 0 : (uint8_t)(int8_t)near;
}

/* Of HIFLOAT8, the bits of a mantissa. */
static int mantissa_bits_of(int exponent)
{
    const int distance = exponent < 0 ? -exponent : exponent;
    return exponent < -15 ? 0 : 3 - (distance > 3) - (distance > 7);
}

/* The code of a size, 2^exponent (1 + mantissa / 2^its bits), without its sign. */
static unsigned hifloat8_code(int exponent, unsigned mantissa)
{
    const unsigned distance = (unsigned)(exponent < 0 ? -exponent : exponent), is_below = exponent < 0;
    if (exponent < -15)
        return (unsigned)(exponent + 23);
    if (distance > 7)
        return 0x60 | is_below << 4 | (distance & 7) << 1 | mantissa;
    if (distance > 3)
        return 0x40 | is_below << 4 | (distance & 3) << 2 | mantissa;
    if (distance > 1)
        return 0x20 | is_below << 4 | (distance & 1) << 3 | mantissa;
    return distance == 1 ? 0x10 | is_below << 3 | mantissa : 0x08 | mantissa;
}

static uint8_t encode_hifloat8(const struct number_format *format, enum rounding rounding, double value)
{
    const unsigned sign = signbit(value) ? 0x80 : 0;
    const double most = format->most, near = value < -most ? -most : value > most ? most : value;
    int exponent = exponent_of(near);
    exponent = exponent < format->least_exponent ? format->least_exponent : exponent;
    const int bits = mantissa_bits_of(exponent);
    const double units = fabs(whole_of(near * power_of_two(bits - exponent), rounding));
    if (units == 0)
        return 0;
    if (units >= power_of_two(bits + 1)) /* it has become the next power of two */
        return (uint8_t)(sign | hifloat8_code(exponent + 1, 0));
    return (uint8_t)(sign | hifloat8_code(exponent, (unsigned)units - (1U << bits)));
}

static uint8_t encode_float(const struct number_format *format, enum rounding rounding, double value)
{
    const unsigned sign = !signbit(value) ? 0 : format->least_exponent == 0 ? 8 : 0x80;
    const double most = format->most, near = value < -most ? -most : value > most ? most : value;
    int exponent = exponent_of(near);
    exponent = exponent < format->least_exponent ? format->least_exponent : exponent;
    const double units = whole_of(near * power_of_two(format->mantissa_bits - exponent), rounding);
    const unsigned above = (unsigned)(exponent - format->least_exponent) << format->mantissa_bits;
    return (uint8_t)(sign | (above + (unsigned)fabs(units)));
}

typedef uint8_t encode_function(const struct number_format *format, enum rounding rounding, double value);

/* A loop for each rounding, which is a constant in it. */
static inline __attribute__((always_inline)) void encode_each(encode_function *encode,
                                                              const struct number_format *format,
                                                              enum rounding rounding, const double *value,
                                                              size_t count, uint8_t *code)
{
    for (size_t i = 0; i < count; i++)
        code[i] = value[i] != value[i] ? format->nan : encode(format, rounding, value[i]);
}

void numbers_encode(const struct number_format *format, enum rounding rounding, const double *value,
                    size_t count, uint8_t *code)
{
    if (format->is_whole && rounding == ROUNDING_RINT)
        for (size_t i = 0; i < count; i++)
            code[i] = (uint8_t)quantised_number(value[i], format->most);
    else if (format->is_whole)
        encode_each(encode_whole, format, rounding, value, count, code);
    else if (format->dtype == ACL_HIFLOAT8)
        encode_each(encode_hifloat8, format, rounding, value, count, code);
    else
        encode_each(encode_float, format, rounding, value, count, code);
}

void block_encode(const struct number_format *format, enum rounding rounding, float scale, double *value,
                  size_t count, uint8_t *code)
{
    const double most = format->most;
    if (scale == 0) {
        memset(code, 0, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const double quotient = value[i] / (double)scale;
        value[i] = format->is_whole && quotient < -most ? -most : quotient;
    }
    numbers_encode(format, rounding, value, count, code);
}

void numbers_pack(const uint8_t *code, size_t count, uint8_t *to)
{
    for (size_t i = 0; i < count; i += 2)
        to[i / 2] = (uint8_t)((code[i] & 15) | code[i + 1] << 4);
}

void numbers_unpack(const uint8_t *from, size_t count, uint8_t *code)
{
    for (size_t i = 0; i < count; i++)
        code[i] = from[i / 2] >> i % 2 * 4 & 15;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint8_t mx_scale_of_block(const struct number_format *format, enum mx_rule rule, float greatest, float most,
                          float least)
{
    enum { SPECIAL = 255, LAST = 254, HALF = 1 << 22 };
    if (bits_of(greatest) >> 23 >= SPECIAL)
        return SPECIAL;
    if (rule == MX_EXPONENT) {
        const int field = (int)(bits_of(greatest) >> 23) - format->emax;
        return (uint8_t)(field < 0 ? 0 : field);
    }
    const bool is_float4 = rule == MX_QUOTIENT_OF_FLOAT4;
    const float size = !is_float4 && least > greatest ? least : greatest;
    const float quotient = size / (is_float4 && most > 0 ? most : (float)format->most);
    const uint32_t field = bits_of(quotient) >> 23, mantissa = bits_of(quotient) & 0x7FFFFF;
    const bool is_more = field > 0 ? field < LAST && mantissa > 0 : !is_float4 && mantissa > HALF;
    return (uint8_t)(field + is_more);
}

double mx_factor(uint8_t scale)
{
    return power_of_two(127 - scale);
}

void mx_encode_block(const struct number_format *format, enum rounding rounding, uint8_t scale,
                     const double *value, size_t count, uint8_t *code)
{
    enum { PIECE = 64, NO_NUMBER = 255 };
    const double factor = mx_factor(scale);
    double scaled[PIECE];
    if (scale == NO_NUMBER) {
        memset(code, 0, count);
        return;
    }
    for (size_t at = 0; at < count; at += PIECE) {
        const size_t some = count - at < PIECE ? count - at : (size_t)PIECE;
        for (size_t i = 0; i < some; i++)
            scaled[i] = value[at + i] * factor;
        numbers_encode(format, rounding, scaled, some, code + at);
    }
}
