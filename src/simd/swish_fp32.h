/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x / (1 + e^-(beta x)) in fp32, within 0.9 units in the last place: as silu, of a product in two floats. In
 * 16 bits, where |beta x| is below 16, without what most of its roundings lose, and with a test for ties.
 */
#ifndef BELAY_SIMD_SWISH_FP32_H
#define BELAY_SIMD_SWISH_FP32_H

#include "simd/logistic_fp32.h"

/* For beta = 0, x / 2; where beta x is -infinity, x 0; NaN where it is NaN. */
static inline __attribute__((always_inline)) vector vector_swish(vector x, float beta,
                                                                 struct unsettled *unsettled)
{
    const bool is_far = unsettled->path == PATH_ANY;
    vector y = x * beta;
    if (is_far && beta == 0)
        y = vector_of(0); /* of infinities too */
    vector b = vector_absolute(y);
    const bool is_16 = unsettled->dtype != ARITHMETIC_FP32;
    /* With beta = 0 an infinite x is not seen in y. */
    const bool is_near = is_far && beta != 0 && !vector_any_flag(vector_above((vector_bits)b, LOGISTIC_NEAR));
    if (is_16 && (!is_far || is_near)) {
        if (!is_far)
            unsettled_above(unsettled, (vector_bits)b, LOGISTIC_NEAR);
        vector value = logistic16_swish(x, y, beta);
        unsettled_tie(unsettled, value, SWISH16_UNITS * (is_far ? 2 : 1));
        if (unsettled->dtype == ARITHMETIC_BF16)
            unsettled_below(unsettled, value, 0x00800000);
        return value;
    }
    vector rest = fused_minus(x, vector_of(beta), y);
    rest = vector_times_sign(rest, y);
    flags negative = vector_negative(y);
    if (is_far)
        rest = vector_choose(vector_greater(vector_of(logistic_end), b), rest, vector_of(0));
    else {
        unsettled_above(unsettled, (vector_bits)b, LOGISTIC_NEAR);
        unsettled_small(unsettled, x);
    }
    vector value = vector_product_with_logistic(x, b, rest, negative, is_far);
    if (is_far) {
        /* x / 2 + y x / 4, of which fp32 has the half, and the sign of the rest: ties as those of silu. */
        flags tiny =
            vector_greater(vector_of(0x1p-125F), vector_absolute(x)) & vector_greater(vector_of(0x1p-26F), b);
        vector_ints up = ~((vector_ints)(x * (beta < 0 ? -1.0F : 1.0F)) >> 31) & 1;
        if (unsettled->dtype == ARITHMETIC_FP32 && beta != 0)
            value = vector_choose(tiny, tiny_half(x, up), value);
        vector last = vector_choose(vector_is_nan(y), y, vector_choose(negative, x - x, x));
        value = vector_choose(vector_not_finite(x), last, value);
    }
    if (unsettled->dtype != ARITHMETIC_FP32) {
        unsettled_tie(unsettled, value, 2);
        unsettled_subnormal(unsettled, value, x);
    }
    return value;
}

#endif
