/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums, products and quotients in MPFR, which rounds them once to any precision, and again below the normal
 * numbers, where it knows in which direction it has.
 */
#include <mpfr.h>

#include "numerics/reference_calculations.h"
#include "numerics/reference_rounding.h"

uint64_t reference_mpfr_calculations(const struct task *task, const uint64_t *input)
{
    const struct calculation c = calculation_of(task, input);
    const struct format *format = &formats[task->dtype];
    const int bias = (1 << (format->exponent_bits - 1)) - 1;
    mpfr_t self, other, alpha, rounded;
    mpfr_inits2(53, self, other, alpha, (mpfr_ptr)0);
    mpfr_init2(rounded, format->fraction_bits + 1);
    mpfr_set_d(self, c.self, MPFR_RNDN);
    mpfr_set_d(other, c.other, MPFR_RNDN);
    mpfr_set_d(alpha, c.alpha, MPFR_RNDN);
    const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
    mpfr_set_emin(2 - bias - format->fraction_bits);
    mpfr_set_emax(bias + 1);
    int direction = c.stem == MUL   ? mpfr_mul(rounded, self, other, MPFR_RNDN)
                    : c.stem == DIV ? mpfr_div(rounded, self, other, MPFR_RNDN)
                                    : mpfr_fma(rounded, alpha, other, self, MPFR_RNDN);
    direction = mpfr_check_range(rounded, direction, MPFR_RNDN);
    mpfr_subnormalize(rounded, direction, MPFR_RNDN);
    mpfr_set_emin(least);
    mpfr_set_emax(most);
    uint64_t bits = round_mpfr(format, rounded); /* of the dtype already */
    mpfr_clears(self, other, alpha, rounded, (mpfr_ptr)0);
    return bits;
}
