/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums, products and quotients in integers: a quotient of two of them times a power of two, rounded by long
 * division with its remainder.
 */
#include <math.h>

#include <gmp.h>

#include "numerics/reference_calculations.h"

/* value as an integer times 2^exponent. */
static long to_integer(mpz_t integer, double value)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    mpz_set_d(integer, ldexp(fraction, 53));
    return exponent - 53;
}

/* The bits of over / under * 2^exponent, neither of which is 0. */
static uint64_t round_quotient(const struct format *format, mpz_t over, mpz_t under, long exponent)
{
    const uint64_t sign = mpz_sgn(over) * mpz_sgn(under) < 0 ? magnitude_mask(format) + 1 : 0;
    mpz_t rest;
    mpz_init(rest);
    mpz_abs(over, over);
    mpz_abs(under, under);
    /* As many bits as the dtype has, fewer where the last would be below the lowest, and a rest. */
    long size = (long)mpz_sizeinbase(over, 2) - (long)mpz_sizeinbase(under, 2) + exponent;
    long last = size - format->fraction_bits;
    /* Of the same size, over may be less than under: then the quotient begins one bit lower. */
    if (size >= exponent)
        mpz_mul_2exp(rest, under, (mp_bitcnt_t)(size - exponent));
    else
        mpz_mul_2exp(rest, over, (mp_bitcnt_t)(exponent - size));
    if (size >= exponent ? mpz_cmp(over, rest) < 0 : mpz_cmp(rest, under) < 0)
        last--;
    if (last < lowest_exponent(format))
        last = lowest_exponent(format);
    if (exponent >= last)
        mpz_mul_2exp(over, over, (mp_bitcnt_t)(exponent - last));
    else
        mpz_mul_2exp(under, under, (mp_bitcnt_t)(last - exponent));
    mpz_tdiv_qr(over, rest, over, under);
    mpz_mul_2exp(rest, rest, 1);
    const int half = mpz_cmp(rest, under);
    if (half > 0 || (half == 0 && mpz_odd_p(over)))
        mpz_add_ui(over, over, 1);
    uint64_t magnitude = (uint64_t)mpz_get_ui(over), field = (uint64_t)(last - lowest_exponent(format));
    mpz_clear(rest);
    if (field > (uint64_t)1 << format->exponent_bits)
        return sign | infinity_bits(format);
    /* A significand of full width carries into the exponent's field by itself. */
    if (magnitude >> format->fraction_bits)
        magnitude += field << format->fraction_bits;
    return sign | (magnitude < infinity_bits(format) ? magnitude : infinity_bits(format));
}

/* Where one of the numbers is infinite or NaN, or the result 0: what doubles do with such. */
static uint64_t special(const struct format *format, const struct calculation *c)
{
    double addend = c->alpha * c->other, value;
    if (isfinite(c->alpha) && isfinite(c->other)) /* 0 or a number, which must not become infinite */
        addend = signbit(c->alpha) == signbit(c->other) ? 0 : -0.0;
    if (c->stem == MUL)
        value = isfinite(c->self) && isfinite(c->other) ? (signbit(c->self) == signbit(c->other) ? 0 : -0.0)
                                                        : c->self * c->other;
    else if (c->stem == DIV)
        value = c->self / c->other;
    else if (isfinite(c->self) && isfinite(c->alpha) && isfinite(c->other) && c->self != 0)
        value = 0; /* what cancels */
    else
        value = c->self + addend;
    const uint64_t sign = signbit(value) ? magnitude_mask(format) + 1 : 0;
    return isnan(value) ? nan_bits(format) : sign | (isinf(value) ? infinity_bits(format) : 0);
}

uint64_t reference_integer_calculations(const struct task *task, const uint64_t *input)
{
    const struct calculation c = calculation_of(task, input);
    const struct format *format = &formats[task->dtype];
    const bool has_alpha = c.stem == ADD;
    if (!isfinite(c.self) || !isfinite(c.other) || (has_alpha && !isfinite(c.alpha)) ||
        (c.stem == DIV && c.other == 0))
        return special(format, &c);
    mpz_t self, other, alpha;
    mpz_inits(self, other, alpha, NULL);
    long of_self = to_integer(self, c.self), of_other = to_integer(other, c.other);
    long exponent = of_self + of_other;
    if (c.stem == MUL) {
        mpz_mul(self, self, other);
        mpz_set_ui(other, 1);
    } else if (c.stem == DIV) {
        exponent = of_self - of_other;
    } else {
        of_other += to_integer(alpha, c.alpha);
        mpz_mul(other, other, alpha);
        exponent = of_self < of_other ? of_self : of_other;
        mpz_mul_2exp(self, self, (mp_bitcnt_t)(of_self - exponent));
        mpz_mul_2exp(other, other, (mp_bitcnt_t)(of_other - exponent));
        mpz_add(self, self, other);
        mpz_set_ui(other, 1);
    }
    uint64_t bits = mpz_sgn(self) != 0 ? round_quotient(format, self, other, exponent) : special(format, &c);
    mpz_clears(self, other, alpha, NULL);
    return bits;
}
