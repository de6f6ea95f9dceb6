/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The activations in integers. The exponential is a Taylor sum in fixed point, pi comes from Machin's formula
 * and its root from integers too; nothing here is a floating-point operation.
 */
#include <pthread.h>

#include "numerics/reference_activations.h"
#include "numerics/reference_quotient.h"

/* Numbers in fixed point count units of 2^-FIXED. */
enum { FIXED = 1500, SQUARINGS = 16 };

/* e^-argument, for arguments of 0 to 1000. */
static void fixed_exponential(mpz_t result, mpz_t argument)
{
    mpz_t part, term;
    mpz_inits(part, term, NULL);
    mpz_tdiv_q_2exp(part, argument, SQUARINGS);
    mpz_set_ui(term, 1);
    mpz_mul_2exp(term, term, FIXED);
    mpz_set(result, term);
    for (unsigned long i = 1; mpz_sgn(term) != 0; i++) {
        mpz_mul(term, term, part);
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
    mpz_clears(part, term, NULL);
}

/* The magnitude of a number that is a multiple of the unit, or what is left of it. */
static void set_fixed(mpz_t result, struct number x)
{
    mpz_set_ui(result, x.significand);
    if (FIXED + x.exponent >= 0)
        mpz_mul_2exp(result, result, (mp_bitcnt_t)(FIXED + x.exponent));
    else
        mpz_tdiv_q_2exp(result, result, (mp_bitcnt_t)(-FIXED - x.exponent));
}

/* sum += factor atan(1 / x) */
static void add_arc_tangent(mpz_t sum, long factor, unsigned long x)
{
    mpz_t power, term;
    mpz_inits(power, term, NULL);
    mpz_set_si(power, factor);
    mpz_mul_2exp(power, power, FIXED + 64);
    mpz_tdiv_q_ui(power, power, x);
    for (unsigned long i = 1; mpz_sgn(power) != 0; i += 2) {
        mpz_tdiv_q_ui(term, power, i);
        if (i % 4 == 1)
            mpz_add(sum, sum, term);
        else
            mpz_sub(sum, sum, term);
        mpz_tdiv_q_ui(power, power, x * x);
    }
    mpz_clears(power, term, NULL);
}

static mpz_t gelu_constant; /* 2 sqrt(2 / pi) = sqrt(8 / pi) */
static pthread_once_t gelu_constant_known = PTHREAD_ONCE_INIT;

static void find_gelu_constant(void)
{
    mpz_t pi;
    mpz_init(pi);
    mpz_init_set_ui(gelu_constant, 8);
    add_arc_tangent(pi, 16, 5);
    add_arc_tangent(pi, -4, 239);
    mpz_mul_2exp(gelu_constant, gelu_constant, 3 * FIXED + 64);
    mpz_tdiv_q(gelu_constant, gelu_constant, pi);
    mpz_sqrt(gelu_constant, gelu_constant);
    mpz_clear(pi);
}

/* gelu_constant |x| (1 + factor 0.044715 x^2) */
static void gelu_polynomial(mpz_t result, struct number x, unsigned long factor)
{
    pthread_once(&gelu_constant_known, find_gelu_constant);
    mpz_t size;
    mpz_init(size);
    set_fixed(size, x);
    mpz_mul(result, size, size);
    mpz_tdiv_q_2exp(result, result, FIXED); /* exact: numbers of 24 bits end at 2^-149 */
    mpz_mul(result, result, size);
    mpz_tdiv_q_2exp(result, result, FIXED);
    mpz_mul_ui(result, result, factor * 44715);
    mpz_tdiv_q_ui(result, result, 1000000);
    mpz_add(result, result, size);
    mpz_mul(result, result, gelu_constant);
    mpz_tdiv_q_2exp(result, result, FIXED);
    mpz_clear(size);
}

static struct number limited(struct number x, unsigned limit)
{
    const struct number most = {.significand = limit};
    x.negative = false;
    return less(most, x) ? most : x;
}

/* q = (is_negative ? u : 1) / (1 + u) */
static void set_logistic(struct quotient *q, mpz_t u, bool is_negative)
{
    set_integer(q, 1);
    mpz_mul_2exp(q->numerator, q->numerator, FIXED);
    mpz_add(q->denominator, q->numerator, u);
    if (is_negative)
        mpz_set(q->numerator, u);
}

static void sigmoid(struct quotient *q, struct number x)
{
    q->nan = x.kind == NOT_A_NUMBER;
    if (x.kind != FINITE) {
        set_integer(q, x.negative ? 0 : 1);
        return;
    }
    mpz_t u, size;
    mpz_inits(u, size, NULL);
    set_fixed(size, limited(x, 800)); /* the results further out are those there */
    fixed_exponential(u, size);
    set_logistic(q, u, x.negative);
    mpz_clears(u, size, NULL);
}

/* (1 - u) / (1 + u) with u = e^-2|x|. */
static void hyperbolic_tangent(struct quotient *q, struct number x)
{
    q->nan = x.kind == NOT_A_NUMBER;
    set_integer(q, 1);
    q->negative = x.negative;
    if (x.kind != FINITE)
        return;
    mpz_t u, size;
    mpz_inits(u, size, NULL);
    set_fixed(size, limited(x, 60));
    mpz_mul_2exp(size, size, 1);
    fixed_exponential(u, size);
    mpz_mul_2exp(q->numerator, q->numerator, FIXED);
    mpz_add(q->denominator, q->numerator, u);
    mpz_sub(q->numerator, q->numerator, u);
    mpz_clears(u, size, NULL);
}

/* What x is multiplied by. */
static void gelu_factor(struct quotient *q, struct number x)
{
    q->nan = x.kind == NOT_A_NUMBER;
    if (x.kind != FINITE) {
        set_integer(q, x.negative ? 0 : 1);
        return;
    }
    mpz_t u, v;
    mpz_inits(u, v, NULL);
    gelu_polynomial(v, limited(x, 16), 1);
    fixed_exponential(u, v);
    set_logistic(q, u, x.negative);
    mpz_clears(u, v, NULL);
}

/* With s = |x| v'(x): u (1 + u - s) / (1 + u)^2 for x < 0, (1 + u + u s) / (1 + u)^2 otherwise. */
static void gelu_derivative(struct quotient *q, struct number x)
{
    q->nan = x.kind == NOT_A_NUMBER;
    if (x.kind != FINITE) {
        set_integer(q, x.negative ? 0 : 1);
        return;
    }
    mpz_t u, v, slope;
    mpz_inits(u, v, slope, NULL);
    gelu_polynomial(v, limited(x, 16), 1);
    gelu_polynomial(slope, limited(x, 16), 3);
    fixed_exponential(u, v);
    set_logistic(q, u, false);
    mpz_set(q->numerator, q->denominator);
    if (x.negative) {
        mpz_sub(q->numerator, q->numerator, slope);
        mpz_mul(q->numerator, q->numerator, u);
    } else {
        mpz_mul(slope, slope, u);
        mpz_mul_2exp(q->numerator, q->numerator, FIXED);
        mpz_add(q->numerator, q->numerator, slope);
    }
    mpz_mul(q->denominator, q->denominator, q->denominator);
    q->negative = mpz_sgn(q->numerator) < 0;
    mpz_abs(q->numerator, q->numerator);
    mpz_clears(u, v, slope, NULL);
}

/* q *= 1 + y, by the rules for infinities and zeros. */
static void multiply_by_sum(struct quotient *q, struct number y)
{
    const struct number one = {.significand = 1};
    if (y.kind != FINITE) {
        multiply(q, y);
        return;
    }
    struct quotient sum = {.exponent = 0};
    mpz_init(sum.numerator);
    set_sum(&sum, one, y);
    q->nan |= q->infinite && mpz_sgn(sum.numerator) == 0;
    q->negative ^= sum.negative;
    q->exponent += sum.exponent;
    mpz_mul(q->numerator, q->numerator, sum.numerator);
    mpz_clear(sum.numerator);
}

static struct number negated(struct number x)
{
    x.negative = !x.negative;
    return x;
}

/* Whether x is a number and not above the threshold, which is one or not. */
static bool is_below(struct number x, struct number threshold)
{
    if (x.kind == NOT_A_NUMBER || threshold.kind == NOT_A_NUMBER)
        return false;
    if (x.kind == INFINITE)
        return x.negative || (threshold.kind == INFINITE && !threshold.negative);
    if (threshold.kind == INFINITE)
        return !threshold.negative;
    return !less(threshold, x);
}

uint64_t reference_integer_activations(const struct task *task, const uint64_t *input)
{
    const struct format *format = &formats[task->dtype];
    const struct number one = {.significand = 1}, zero = {.significand = 0};
    struct number g = decode(format, input[0]);
    struct number x = decode(format, input[reference_inputs(task->stem) - 1]);
    struct quotient q = {.exponent = 0};
    mpz_init_set_ui(q.numerator, 1);
    mpz_init_set_ui(q.denominator, 1);
    switch (task->stem) {
    case RELU:
        if (x.kind != NOT_A_NUMBER && x.negative)
            g = zero;
        break;
    case THRESHOLD_BACKWARD:
        if (is_below(x, decode_double(task->slope)))
            g = zero;
        break;
    case SIGMOID:
        sigmoid(&q, x);
        g = one;
        break;
    case TANH:
        hyperbolic_tangent(&q, x);
        g = one;
        break;
    case GELU:
        gelu_factor(&q, x);
        break;
    case GELU_BACKWARD:
        gelu_derivative(&q, x);
        break;
    case SIGMOID_BACKWARD:
        multiply_by_sum(&q, negated(x));
        multiply(&q, x);
        break;
    default: /* the gradient of tanh */
        multiply_by_sum(&q, negated(x));
        multiply_by_sum(&q, x);
    }
    multiply(&q, g);
    uint64_t bits = round_quotient(format, &q);
    mpz_clears(q.numerator, q.denominator, NULL);
    return bits;
}
