/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Fixed-point sums.
 */
#include "tools/exact_sum.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 two_words;

enum { WORD_BITS = 32, MANTISSA_BITS = 53, LEAST_EXPONENT = -1074 };

/* How many may be added before carries are handed on: each adds less than 2^33 to a word. */
enum { ADDED_MOST = 1 << 29 };

void exact_sum_begin(struct exact_sum *sum)
{
    memset(sum, 0, sizeof *sum);
}

/* Hands carries on: each word but the last is in [0, 2^32). */
static void hand_on(struct exact_sum *sum)
{
    for (int i = 0; i + 1 < EXACT_SUM_WORDS; i++) {
        const int64_t rest = sum->word[i] & 0xFFFFFFFF;
        sum->word[i + 1] += (sum->word[i] - rest) / ((int64_t)1 << WORD_BITS);
        sum->word[i] = rest;
    }
    sum->added = 0;
}

/* A double is the number times 2^exponent. */
static uint64_t mantissa_of(double value, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t fraction = bits & ((UINT64_C(1) << (MANTISSA_BITS - 1)) - 1);
    const int field = (int)(bits >> (MANTISSA_BITS - 1) & 0x7FF);
    *exponent = LEAST_EXPONENT + (field > 0 ? field - 1 : 0);
    return field > 0 ? fraction | UINT64_C(1) << (MANTISSA_BITS - 1) : fraction;
}

/* 64 bits, which begin at a bit of the sum. */
static void add_bits(struct exact_sum *sum, uint64_t bits, unsigned first, int64_t sign)
{
    const two_words placed = (two_words)bits << first % WORD_BITS;
    int64_t *word = sum->word + first / WORD_BITS;
    for (int i = 0; i < 3; i++)
        word[i] += sign * (int64_t)(uint32_t)(placed >> i * WORD_BITS);
}

void exact_sum_add(struct exact_sum *sum, double left, double right)
{
    int left_exponent, right_exponent;
    const uint64_t left_mantissa = mantissa_of(left, &left_exponent),
                   right_mantissa = mantissa_of(right, &right_exponent);
    const two_words product = (two_words)left_mantissa * right_mantissa;
    const unsigned first = (unsigned)(left_exponent + right_exponent - EXACT_SUM_LAST_BIT);
    const int64_t sign = signbit(left) != signbit(right) ? -1 : 1;
    if (product == 0)
        return;
    add_bits(sum, (uint64_t)product, first, sign);
    add_bits(sum, (uint64_t)(product >> 64), first + 64, sign);
    if (++sum->added == ADDED_MOST)
        hand_on(sum);
}

/* Makes words of the size of the sum, and keeps its sign apart. */
static void take_sign(struct exact_sum *sum)
{
    hand_on(sum);
    if (sum->word[EXACT_SUM_WORDS - 1] >= 0)
        return;
    sum->is_negative = !sum->is_negative;
    for (int i = 0; i < EXACT_SUM_WORDS; i++)
        sum->word[i] = -sum->word[i];
    hand_on(sum);
}

void exact_sum_divide(struct exact_sum *sum, uint32_t count)
{
    uint64_t rest = 0;
    take_sign(sum);
    for (int i = EXACT_SUM_WORDS; i-- > 0;) {
        const uint64_t part = rest << WORD_BITS | (uint64_t)sum->word[i];
        sum->word[i] = (int64_t)(part / count);
        rest = part % count;
    }
}

static unsigned bit_at(const struct exact_sum *sum, int bit)
{
    return (unsigned)(sum->word[bit / WORD_BITS] >> bit % WORD_BITS & 1);
}

/* The highest bit that is 1, or -1. */
static int highest_bit(const struct exact_sum *sum)
{
    int word = EXACT_SUM_WORDS - 1;
    while (word >= 0 && sum->word[word] == 0)
        word--;
    return word < 0 ? -1 : word * WORD_BITS + 63 - __builtin_clzll((uint64_t)sum->word[word]);
}

/* Whether one of the bits below is 1. */
static bool has_bits_below(const struct exact_sum *sum, int bit)
{
    for (int word = 0; word < bit / WORD_BITS; word++)
        if (sum->word[word] != 0)
            return true;
    return (sum->word[bit / WORD_BITS] & (((int64_t)1 << bit % WORD_BITS) - 1)) != 0;
}

double exact_sum_value(struct exact_sum *sum, bool to_odd)
{
    take_sign(sum);
    const int highest = highest_bit(sum), least = LEAST_EXPONENT - EXACT_SUM_LAST_BIT;
    const int last = highest - MANTISSA_BITS + 1 > least ? highest - MANTISSA_BITS + 1 : least;
    uint64_t mantissa = 0;
    for (int bit = highest; bit >= last; bit--)
        mantissa = mantissa << 1 | bit_at(sum, bit);
    const bool has_rest = has_bits_below(sum, last - 1);
    const bool has_half = bit_at(sum, last - 1) != 0;
    if (to_odd)
        mantissa |= has_half || has_rest;
    else
        mantissa += has_half && (has_rest || mantissa % 2 != 0);
    const double size = ldexp((double)mantissa, last + EXACT_SUM_LAST_BIT);
    return sum->is_negative ? -size : size;
}
