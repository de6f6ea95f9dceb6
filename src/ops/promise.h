/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a function promises about its numbers. Whatever the tier: the same bits on every instruction-set
 * level, with every number of threads, in every layout and at every position.
 */
#ifndef BELAY_OPS_PROMISE_H
#define BELAY_OPS_PROMISE_H

#include <stddef.h>

#include "base/export.h"

enum tier {
    TIER_EXACT,  /* the formula evaluated exactly and rounded once */
    TIER_ULP,    /* within a stated number of units in the last place of the exact value */
    TIER_SUM,    /* accumulated in an order that the shape alone fixes, rounded once at the end */
    TIER_KERNEL, /* what the kernel of a project computes */
};

struct tier_of {
    enum tier tier;
    float ulp; /* of TIER_ULP */
};

struct promise {
    struct tier_of halves;     /* FLOAT16 and BFLOAT16 */
    struct tier_of fp32;       /* FLOAT, at the default accuracy */
    struct tier_of fp32_exact; /* and with BELAY_ACCURACY=exact */
    struct tier_of fp64;       /* DOUBLE, and each part of complex numbers */
};

/* "rounded once", "within 2 ulp", "sum in a fixed order, rounded once" */
const char *tier_text(const struct tier_of *tier, char *text, size_t size) SHARED(tier_text);

extern const struct promise promise_exact;
extern const struct promise promise_fp32_ulp1; /* FLOAT within 1 ulp by default, exact where asked for */
extern const struct promise promise_fp64_ulp2, promise_fp32_ulp1_fp64_ulp2;
extern const struct promise promise_ulp1; /* FLOAT and DOUBLE within 1 ulp at every accuracy */
extern const struct promise promise_ulp2; /* within 2 */
/* Formulas in doubles: FLOAT within 1 ulp, DOUBLE within 8. */
extern const struct promise promise_formula;
extern const struct promise promise_sum; /* of every dtype */
extern const struct promise promise_of_kernel;

#endif
