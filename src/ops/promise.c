/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The promises that functions share.
 */
#include "ops/promise.h"

#include <stdio.h>

#define EXACT              \
    {                      \
        .tier = TIER_EXACT \
    }
#define ULP(n)                       \
    {                                \
        .tier = TIER_ULP, .ulp = (n) \
    }
#define IN_SUMS          \
    {                    \
        .tier = TIER_SUM \
    }

const struct promise promise_exact = {EXACT, EXACT, EXACT, EXACT};
const struct promise promise_fp32_ulp1 = {EXACT, ULP(1), EXACT, EXACT};
const struct promise promise_fp64_ulp2 = {EXACT, EXACT, EXACT, ULP(2)};
const struct promise promise_fp32_ulp1_fp64_ulp2 = {EXACT, ULP(1), EXACT, ULP(2)};
const struct promise promise_ulp1 = {EXACT, ULP(1), ULP(1), ULP(1)};
const struct promise promise_ulp2 = {EXACT, ULP(2), ULP(2), ULP(2)};
const struct promise promise_formula = {EXACT, ULP(1), ULP(1), ULP(8)};
const struct promise promise_sum = {IN_SUMS, IN_SUMS, IN_SUMS, IN_SUMS};

const struct promise promise_of_kernel = {
    {TIER_KERNEL, 0}, {TIER_KERNEL, 0}, {TIER_KERNEL, 0}, {TIER_KERNEL, 0}};

const char *tier_text(const struct tier_of *tier, char *text, size_t size)
{
    if (tier->tier == TIER_ULP)
        snprintf(text, size, "within %g ulp", (double)tier->ulp);
    else
        snprintf(text, size, "%s",
                 tier->tier == TIER_EXACT    ? "rounded once"
                 : tier->tier == TIER_KERNEL ? "as its kernel computes"
                                             : "sums in a fixed order");
    return text;
}
