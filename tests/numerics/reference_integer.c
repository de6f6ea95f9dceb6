/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The reference in integers: every operator is a quotient of two integers times a power of two, rounded by
 * long division with its remainder. The exponential is a Taylor sum in fixed point; nothing here is a
 * floating-point operation.
 */
#include "numerics/family_judge.h"
#include "numerics/reference_quotient.h"

/* 6 out / x. */
static void hardswish_forward(struct quotient *q, struct number x)
{
    const struct number three = {.significand = 3};
    mpz_set_ui(q->denominator, 6);
    q->nan = x.kind == NOT_A_NUMBER;
    if (x.kind == INFINITE || !less(x, three))
        set_integer(q, 6);
    else
        set_sum(q, x, three);
}

static void hardswish(struct quotient *q, struct number x, bool is_open)
{
    const struct number three = {.significand = 3}, minus_three = {.significand = 3, .negative = true};
    mpz_set_ui(q->denominator, 6);
    q->nan = x.kind == NOT_A_NUMBER;
    if (x.kind == INFINITE ? !x.negative : is_open ? !less(x, three) : less(three, x)) {
        set_integer(q, 6);
    } else if (x.kind == INFINITE || (is_open ? !less(minus_three, x) : less(x, minus_three))) {
        set_integer(q, 0);
    } else {
        x.exponent++;
        set_sum(q, x, three);
    }
}

/* e^-(size 2^exponent) in units of 2^-FIXED, for arguments up to 512. */
enum { FIXED = 1100, SQUARINGS = 16 };

static void fixed_exponential(mpz_t result, uint64_t size, int exponent)
{
    mpz_t argument, term;
    mpz_inits(argument, term, NULL);
    mpz_set_ui(argument, size);
    int shift = FIXED - SQUARINGS + exponent;
    mpz_mul_2exp(argument, argument, (mp_bitcnt_t)shift);
    mpz_set_ui(term, 1);
    mpz_mul_2exp(term, term, FIXED);
    mpz_set(result, term);
    for (unsigned long i = 1; mpz_sgn(term) != 0; i++) {
        mpz_mul(term, term, argument);
        mpz_tdiv_q_2exp(term, term, FIXED);
        mpz_tdiv_q_ui(term, term, i);
        if (i % 2)
            mpz_sub(result, result, term);
        else
            mpz_add(result, result, term);
    }
    for (int i = 0; i < SQUARINGS; i++) {
        mpz_mul(result, result, result);
        mpz_tdiv_q_2exp(result, result, FIXED);
    }
    mpz_clears(argument, term, NULL);
}

/* With u = e^-|x|: (1 + u (1 + x)) / (1 + u)^2 for x >= 0, u (u + 1 + x) / (1 + u)^2 for x < 0. */
static void silu(struct quotient *q, struct number x)
{
    const struct number limit = {.significand = 300};
    q->nan = x.kind != FINITE;
    if (q->nan)
        return;
    bool negative = x.negative;
    x.negative = false;
    if (less(limit, x)) /* the same results as at 300 */
        x = limit;
    mpz_t u, one;
    mpz_inits(u, one, NULL);
    fixed_exponential(u, x.significand, x.exponent);
    mpz_set_ui(one, 1);
    mpz_mul_2exp(one, one, FIXED);
    /* 1 + x, exactly: x has no bits below 2^-FIXED. */
    mpz_set_ui(q->numerator, x.significand);
    mpz_mul_2exp(q->numerator, q->numerator, (mp_bitcnt_t)(FIXED + x.exponent));
    if (negative)
        mpz_neg(q->numerator, q->numerator);
    mpz_add(q->numerator, q->numerator, one);
    if (negative) {
        mpz_add(q->numerator, q->numerator, u);
        mpz_mul(q->numerator, q->numerator, u);
    } else {
        mpz_mul(q->numerator, q->numerator, u);
        mpz_mul_2exp(one, one, FIXED);
        mpz_add(q->numerator, q->numerator, one);
        mpz_tdiv_q_2exp(one, one, FIXED);
    }
    mpz_add(u, u, one);
    mpz_mul(q->denominator, u, u);
    q->negative = mpz_sgn(q->numerator) < 0;
    mpz_abs(q->numerator, q->numerator);
    mpz_clears(u, one, NULL);
}

/* 1 / (1 + u) for y >= 0, u / (1 + u) for y < 0. */
static void logistic(struct quotient *q, struct number y)
{
    const struct number limit = {.significand = 300};
    q->nan = y.kind == NOT_A_NUMBER;
    if (y.kind != FINITE) {
        set_integer(q, y.negative ? 0 : 1);
        return;
    }
    bool negative = y.negative;
    y.negative = false;
    if (less(limit, y)) /* the same results as at 300 */
        y = limit;
    mpz_t u;
    mpz_init(u);
    fixed_exponential(u, y.significand, y.exponent);
    mpz_set_ui(q->numerator, 1);
    mpz_mul_2exp(q->numerator, q->numerator, FIXED);
    mpz_add(q->denominator, q->numerator, u);
    if (negative)
        mpz_set(q->numerator, u);
    mpz_clear(u);
}

/* beta x, both of at most 24 bits. */
static struct number scaled(struct number x, double beta, bool zero_times_infinity_is_zero)
{
    struct number by = decode_double(beta);
    /* 53 bits of a double, of which the last 29 are none. */
    while (by.significand != 0 && by.significand % 2 == 0) {
        by.significand /= 2;
        by.exponent++;
    }
    bool zero = (x.kind == FINITE && x.significand == 0) || (by.kind == FINITE && by.significand == 0);
    bool infinite = x.kind == INFINITE || by.kind == INFINITE;
    if (x.kind == NOT_A_NUMBER || by.kind == NOT_A_NUMBER)
        return (struct number){.kind = NOT_A_NUMBER};
    if (zero && infinite && !(zero_times_infinity_is_zero && by.kind == FINITE))
        return (struct number){.kind = NOT_A_NUMBER};
    return (struct number){.kind = infinite && !zero ? INFINITE : FINITE,
                           .negative = x.negative != by.negative,
                           .significand = zero ? 0 : x.significand * by.significand,
                           .exponent = zero ? 0 : x.exponent + by.exponent};
}

static void smooth_l1(struct quotient *q, const struct task *task, struct number x, struct number t)
{
    struct number beta = decode_double((double)task->beta);
    beta.negative = false;
    mpz_set_ui(q->denominator, task->divisor);
    bool both_infinite = x.kind == INFINITE && t.kind == INFINITE;
    q->nan = x.kind == NOT_A_NUMBER || t.kind == NOT_A_NUMBER || (both_infinite && x.negative == t.negative);
    if (q->nan)
        return;
    if (x.kind == INFINITE || t.kind == INFINITE) {
        set_integer(q, 1);
        q->negative = x.kind == INFINITE ? x.negative : !t.negative;
        return;
    }
    t.negative = !t.negative;
    set_sum(q, x, t);
    bool zero = mpz_sgn(q->numerator) == 0, negative = q->negative;
    if (beta.kind == INFINITE) {
        set_integer(q, 0);
        q->negative = negative;
        return;
    }
    /* |d| < beta, at the lower exponent of the two. */
    mpz_t limit, size;
    mpz_init_set_ui(limit, beta.significand);
    mpz_init_set(size, q->numerator);
    if (beta.exponent > q->exponent)
        mpz_mul_2exp(limit, limit, (mp_bitcnt_t)(beta.exponent - q->exponent));
    else
        mpz_mul_2exp(size, size, (mp_bitcnt_t)(q->exponent - beta.exponent));
    bool inner = mpz_cmp(size, limit) < 0;
    mpz_clears(limit, size, NULL);
    if (inner) {
        mpz_mul_ui(q->denominator, q->denominator, beta.significand);
        q->exponent -= beta.exponent;
    } else {
        set_integer(q, !zero);
        q->negative = negative;
    }
}

/* d^2 / (2 beta), or (2 |d| - beta) / 2. */
static void smooth_l1_loss(struct quotient *q, const struct task *task, struct number x, struct number t)
{
    struct number beta = decode_double((double)task->beta);
    bool is_difference_nan = x.kind == INFINITE && t.kind == INFINITE && x.negative == t.negative;
    bool is_infinite = x.kind == INFINITE || t.kind == INFINITE;
    q->nan = x.kind == NOT_A_NUMBER || t.kind == NOT_A_NUMBER || is_difference_nan ||
             (is_infinite && beta.kind == INFINITE);
    q->infinite = is_infinite;
    if (q->nan || is_infinite || beta.kind == INFINITE) {
        set_integer(q, 0);
        q->infinite = is_infinite;
        return;
    }
    t.negative = !t.negative;
    set_sum(q, x, t);
    q->negative = false;
    mpz_t size, limit;
    mpz_init_set(size, q->numerator);
    mpz_init_set_ui(limit, beta.significand);
    int lower = q->exponent < beta.exponent ? (int)q->exponent : beta.exponent;
    mpz_mul_2exp(size, size, (mp_bitcnt_t)(q->exponent - lower));
    mpz_mul_2exp(limit, limit, (mp_bitcnt_t)(beta.exponent - lower));
    if (mpz_cmp(size, limit) < 0) {
        mpz_mul(q->numerator, size, size);
        mpz_mul_2exp(q->denominator, limit, 1);
    } else {
        mpz_mul_2exp(size, size, 1);
        mpz_sub(q->numerator, size, limit);
        mpz_set_ui(q->denominator, 2);
    }
    q->exponent = lower;
    mpz_clears(size, limit, NULL);
}

uint64_t reference_integer(const struct task *task, const uint64_t *input)
{
    if (is_of_other_family(task->stem))
        return family_judge_of(task->stem)->integer(task, input);
    const struct format *format = &formats[task->dtype];
    const struct number minus_three = {.significand = 3, .negative = true};
    const bool is_unary = reference_inputs(task->stem) == 1;
    struct number g = decode(format, input[0]), x = decode(format, input[is_unary ? 0 : 1]);
    struct quotient q = {.exponent = 0};
    mpz_init(q.numerator);
    mpz_init_set_ui(q.denominator, 1);
    switch (task->stem) {
    case HARDSWISH_BACKWARD:
    case HARDSWISH_BACKWARD_V2:
        hardswish(&q, x, task->stem == HARDSWISH_BACKWARD_V2);
        break;
    case HARDSWISH:
        /* A plain zero below, which no product gives. */
        if (x.negative && (x.kind == INFINITE || (x.kind == FINITE && !less(minus_three, x))))
            g = (struct number){.kind = FINITE};
        else
            hardswish_forward(&q, x);
        break;
    case LEAKY_RELU:
    case LEAKY_RELU_BACKWARD:
        set_integer(&q, 1);
        if (x.kind == NOT_A_NUMBER || x.negative || (x.kind == FINITE && x.significand == 0))
            multiply(&q, decode_double(task->slope));
        break;
    case SMOOTH_L1_LOSS:
        smooth_l1_loss(&q, task, g, x);
        g = (struct number){.kind = FINITE, .significand = 1};
        break;
    case SILU:
        logistic(&q, x);
        break;
    case SWISH:
        logistic(&q, scaled(x, task->slope, true));
        break;
    case SWISH_BACKWARD:
        silu(&q, scaled(x, task->slope, false));
        break;
    case SILU_BACKWARD:
        silu(&q, x);
        break;
    default:
        smooth_l1(&q, task, x, decode(format, input[2]));
    }
    multiply(&q, g);
    uint64_t bits = round_quotient(format, &q);
    mpz_clears(q.numerator, q.denominator, NULL);
    return bits;
}
