/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of doubles and of products of two doubles without any rounding: a fixed-point number as wide as all that these
 * can be, which is rounded when it is asked for.
 */
#ifndef BELAY_TOOLS_EXACT_SUM_H
#define BELAY_TOOLS_EXACT_SUM_H

#include <stdbool.h>
#include <stdint.h>

/* Its bit 0 is 2^-2148, the product of the two least doubles; the highest product is below 2^2048, and of all there may
 * be 2^58. A word holds 32 bits, and carries that are not yet handed on. */
enum { EXACT_SUM_WORDS = 133, EXACT_SUM_LAST_BIT = -2148 };

struct exact_sum {
    int64_t word[EXACT_SUM_WORDS];
    uint32_t added;   /* since the carries were handed on */
    bool is_negative; /* once it is rounded or divided: the words are its size */
};

void exact_sum_begin(struct exact_sum *sum);

/* Adds left * right, both finite. */
void exact_sum_add(struct exact_sum *sum, double left, double right);

/* Divides by count, above 0, towards 0 at the last bit: where that leaves something out, bits that are 1 are among the 32
 * in front of it, so that rounding, a thousand bits above, is the same. Nothing is added after it. */
void exact_sum_divide(struct exact_sum *sum, uint32_t count);

/*
 * The sum, rounded to nearest, ties to even. Where to_odd is true and it is no double, of its two neighbours the one whose
 * last bit is 1: rounded to a dtype of fewer bits after that it is the sum rounded once. Nothing is added after it.
 */
double exact_sum_value(struct exact_sum *sum, bool to_odd);

#endif
