/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * From MPFR to the bits of a dtype in one rounding: what references in MPFR are made of.
 */
#ifndef BELAY_TESTS_NUMERICS_REFERENCE_ROUNDING_H
#define BELAY_TESTS_NUMERICS_REFERENCE_ROUNDING_H

#include <mpfr.h>

#include "numerics/reference.h"

/* The bits of the number nearest to value, ties to even. */
static inline uint64_t round_mpfr(const struct format *format, mpfr_t value)
{
    if (mpfr_nan_p(value))
        return nan_bits(format);
    uint64_t sign = mpfr_signbit(value) ? magnitude_mask(format) + 1 : 0;
    if (mpfr_zero_p(value))
        return sign;
    if (mpfr_inf_p(value))
        return sign | infinity_bits(format);
    /* As an integer in units of the last place of its binade. */
    long exponent = mpfr_get_exp(value) - 1 - format->fraction_bits;
    if (exponent < lowest_exponent(format))
        exponent = lowest_exponent(format);
    mpfr_t units;
    mpfr_init2(units, mpfr_get_prec(value));
    mpfr_mul_2si(units, value, -exponent, MPFR_RNDN);
    mpfr_abs(units, units, MPFR_RNDN);
    mpfr_rint(units, units, MPFR_RNDN); /* ties to even, unlike mpfr_round */
    uint64_t magnitude = (uint64_t)mpfr_get_ui(units, MPFR_RNDN);
    mpfr_clear(units);
    /* A significand that rounded up to the next power of two carries into the exponent field by itself, and
     * past the largest finite number that is the infinity. */
    uint64_t field = (uint64_t)(exponent - lowest_exponent(format));
    if (magnitude >> format->fraction_bits)
        magnitude += field << format->fraction_bits;
    uint64_t infinity = infinity_bits(format);
    return sign |
           (field > ((uint64_t)1 << format->exponent_bits) || magnitude > infinity ? infinity : magnitude);
}

/* a / b with what is cut off shown by the last bit, so that no tie is invented. */
static inline void divide(mpfr_t quotient, mpfr_t a, mpfr_t b)
{
    int inexact = mpfr_div(quotient, a, b, MPFR_RNDZ);
    if (inexact && mpfr_sgn(quotient) > 0)
        mpfr_nextabove(quotient);
    else if (inexact)
        mpfr_nextbelow(quotient);
}

#endif
