/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * tanh x = -E / (2 + E) with E = e^-2|x| - 1, which keeps its relative accuracy around 0: to some 2^-49 in
 * doubles and some 2^-97 in pairs.
 */
#ifndef BELAY_OPS_POINTWISE_TANH_H
#define BELAY_OPS_POINTWISE_TANH_H

#include "simd/maths/exponential_pair.h"

/* -2|x|, but not beyond where fp32 has 1 in any case. NaN stays NaN. */
static inline doubles tanh_argument(doubles x)
{
    doubles size = absolute(x);
    return -2 * choose(size > 30, broadcast(30), size);
}

static inline doubles tanh_estimate(doubles x)
{
    doubles z = tanh_argument(x);
    struct binary_power power = nearest_power(z);
    doubles r = (z - power.exponent * ln2_part[0]) - power.exponent * ln2_part[1];
    doubles e = power.value * exp_minus_1(r) + (power.value - 1);
    return with_sign_of(absolute(e / (2 + e)), x);
}

static inline struct pair pair_tanh(doubles x)
{
    const struct pair z = {tanh_argument(x), broadcast(0)};
    struct binary_power power = nearest_power(z.high);
    struct pair m = pair_exp_minus_1(pair_remainder(z, power));
    struct pair e = pair_add(pair_scale(m, power.value), two_sum(power.value, broadcast(-1)));
    struct pair size = pair_divide(pair_negate(e), pair_add(pair_of(2, 0), e));
    longs is_negative = x < 0;
    return (struct pair){negate_where(is_negative, size.high), negate_where(is_negative, size.low)};
}

#endif
