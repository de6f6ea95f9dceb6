/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradInput = gradOutput * output * (1 - output), the exact value rounded once, of complex numbers in each
 * part: the gradient of aclnnSigmoid from its result. Of a complex output the conjugate of output * (1 -
 * output) is taken.
 *
 * An output outside of [0, 1] is taken as it is. It is a real multiplication: inf * 0 and 0 * inf are NaN,
 * and a finite negative gradient times 0 is -0. A part of a complex result that is exactly 0 is +0; where an
 * input's part is infinite or NaN, the formula's steps are made one by one.
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/gradient_fp64.h"
#include "simd/map.h"
#include "simd/result_gradient.h"

/* The product of two numbers of 24 bits is a double. */
static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    return input[0] * input[1] * (1 - input[1]);
}

/*
 * A value cut to 48 bits is off by less than a unit of its last place, so no tie lies between it and the
 * exact one; the sign of the difference, all of whose terms are exact, tells the side.
 */
static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)prepared;
    doubles cut = leading(value, 48), product = input[0] * input[1];
    struct pair cubic = two_product(product, input[1]);
    const doubles difference[] = {product, -cubic.high, -cubic.low, -cut};
    return round_to_odd(cut, sign_of_sum(difference, 4));
}

/* g y times 1 - y, each with what it lost. */
static inline __attribute__((always_inline)) wide fast(const wide *input, const void *prepared,
                                                       struct doubts *doubts)
{
    (void)prepared;
    wide g = input[0], y = input[1];
    const flags is_plain = doubts->path == PATH_ANY ? is_not_finite(g, y) : wide_greater(g, g);
    if (doubts->path == PATH_ANY) {
        g = wide_choose(is_plain, wide_of(1), g);
        y = wide_choose(is_plain, wide_of(1), y);
    }
    doubt_small(doubts, g);
    doubt_small(doubts, y);
    doubt_above(doubts, 0, (wide_bits)y + (wide_bits)y, 2 * 0x49800000U); /* 2^20 */
    wide product = g * y, factor = 1 - y;
    wide lost = (1 - factor) - y; /* exact: 1 is a multiple of the last place of y */
    wide rest = fused(fused_from(g, y, product), factor, fused_from(product, lost, wide_of(0)));
    wide value = fine_product(product, factor, rest, wide_of(fine_rest), doubts);
    return doubts->path == PATH_ANY ? wide_choose(is_plain, input[0] * input[1] * (1 - input[1]), value) : value;
}

static inline __attribute__((always_inline)) wide any_16(const wide *input, const void *prepared,
                                                         struct doubts *doubts)
{
    (void)prepared;
    return result_gradient_any(input[0], input[1], true, doubts);
}

static inline __attribute__((always_inline)) narrow quick_16(const char *const *source, const void *prepared,
                                                             struct doubts *doubts)
{
    (void)prepared;
    return result_gradient_quick(source, doubts, true);
}

static const struct evaluation sigmoid_backward = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast, .asks_ahead = true};
static const struct evaluation sigmoid_backward_16 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = any_16, .narrow = quick_16};

static __attribute__((noinline)) doubles settle_fp64(doubles g, doubles y, longs is_unsure, doubles value)
{
    for (int i = 0; i < LANES; i++) {
        struct exact_terms sum __attribute__((uninitialized));
        if (!is_unsure[i])
            continue;
        exact_terms_clear(&sum);
        exact_terms_add(&sum, g[i], y[i], 1);
        exact_terms_add(&sum, -g[i], y[i], y[i]);
        value[i] = exact_terms_round(&sum, false);
    }
    return value;
}

static inline doubles estimate_fp64(const doubles *input, const void *prepared)
{
    (void)prepared;
    doubles g = input[0], y = input[1];
    struct pair result = moderate_multiply(moderate_product(g, y), two_sum(broadcast(1), -y));
    doubles plain = g * y * (1 - y); /* exactly 0, infinite or NaN where the result is */
    longs is_plain = (g == 0) | (y == 0) | (y == 1) | ~is_finite(g) | ~is_finite(y);
    longs is_sure = is_plain | (is_settled(result) & is_moderate(g) & is_moderate(y));
    doubles value = choose(is_plain, plain, result.high);
    if (__builtin_expect(any(~is_sure), 0))
        value = settle_fp64(g, y, ~is_sure, value);
    return value;
}

static const struct evaluation sigmoid_backward_fp64 = {.inputs = 2, .estimate = estimate_fp64};

/* Real and imaginary part. */
struct complex_value {
    double part[2];
};

/* (c + d i) times the conjugate of p + q i = y (1 - y), where y = a + b i: p = a - a^2 + b^2, q = b - 2 a b.
 */
static struct complex_value plain_product(struct complex_value g, struct complex_value y)
{
    double a = y.part[0], b = y.part[1], c = g.part[0], d = g.part[1];
    double p = a - a * a + b * b, q = b - 2 * a * b;
    return (struct complex_value){{c * p + d * q, d * p - c * q}};
}

static bool is_any_special(struct complex_value g, struct complex_value y)
{
    double sum = (g.part[0] - g.part[0]) + (g.part[1] - g.part[1]) + (y.part[0] - y.part[0]) +
                 (y.part[1] - y.part[1]); /* 0, or NaN */
    return sum != 0;
}

/* One part of the product: c p + d q, exactly. */
static __attribute__((noinline)) double exact_part(double c, double d, struct complex_value y, bool is_to_odd)
{
    double a = y.part[0], b = y.part[1];
    struct exact_terms sum __attribute__((uninitialized));
    exact_terms_clear(&sum);
    exact_terms_add(&sum, c, a, 1);
    exact_terms_add(&sum, -c, a, a);
    exact_terms_add(&sum, c, b, b);
    exact_terms_add(&sum, d, b, 1);
    exact_terms_add(&sum, -d, a, b);
    exact_terms_add(&sum, -d, a, b);
    return exact_terms_round(&sum, is_to_odd);
}

/* The same rounded to fp32: by doubles, which nearly always decide. Products of fp32 neither over- nor
 * underflow in them. */
static float part_fp32(double c, double d, struct complex_value y)
{
    double a = y.part[0], b = y.part[1];
    double value = c * (a - a * a + b * b) + d * (b - 2 * a * b);
    double size = fabs(c) * (fabs(a) + a * a + b * b) + fabs(d) * (fabs(b) + 2 * fabs(a * b));
    double error = size * 0x1p-49;
    float low = (float)(value - error), high = (float)(value + error);
    if (low == high && low != 0)
        return low;
    return (float)exact_part(c, d, y, true);
}

static void run_complex64(const void *const *input, void *output, size_t count, const void *parameters,
                          bool streams)
{
    (void)parameters, (void)streams;
    for (size_t i = 0; i < count; i++) {
        float given[2][2], result[2];
        for (int j = 0; j < 2; j++)
            memcpy(given[j], (const char *)input[j] + i * sizeof result, sizeof result);
        struct complex_value g = {{(double)given[0][0], (double)given[0][1]}};
        struct complex_value y = {{(double)given[1][0], (double)given[1][1]}};
        if (is_any_special(g, y)) {
            struct complex_value product = plain_product(g, y);
            for (int part = 0; part < 2; part++)
                result[part] = isnan(product.part[part]) ? NAN : (float)product.part[part];
        } else {
            result[0] = part_fp32(g.part[0], g.part[1], y);
            result[1] = part_fp32(g.part[1], -g.part[0], y);
        }
        memcpy((char *)output + i * sizeof result, result, sizeof result);
    }
}

static void run_complex128(const void *const *input, void *output, size_t count, const void *parameters,
                           bool streams)
{
    (void)parameters, (void)streams;
    for (size_t i = 0; i < count; i++) {
        struct complex_value g, y, result;
        memcpy(&g, (const char *)input[0] + i * sizeof g, sizeof g);
        memcpy(&y, (const char *)input[1] + i * sizeof y, sizeof y);
        if (is_any_special(g, y)) {
            result = plain_product(g, y);
            for (int part = 0; part < 2; part++)
                if (isnan(result.part[part]))
                    result.part[part] = (double)NAN;
        } else {
            result.part[0] = exact_part(g.part[0], g.part[1], y, false);
            result.part[1] = exact_part(g.part[1], -g.part[0], y, false);
        }
        memcpy((char *)output + i * sizeof result, &result, sizeof result);
    }
}

MAP_KERNEL(run_fp32, ARITHMETIC_FP32, sigmoid_backward)
MAP_KERNEL(run_fp16, ARITHMETIC_FP16, sigmoid_backward_16)
MAP_KERNEL(run_bf16, ARITHMETIC_BF16, sigmoid_backward_16)
MAP_KERNEL(run_fp64, ARITHMETIC_FP64, sigmoid_backward_fp64)

KERNELS(sigmoid_backward) = {
    .run = {[ACCURACY_DEFAULT] = {[ARITHMETIC_FP32] = run_fp32,
                                  [ARITHMETIC_FP16] = run_fp16,
                                  [ARITHMETIC_BF16] = run_bf16,
                                  [ARITHMETIC_FP64] = run_fp64},
            [ACCURACY_EXACT] = {[ARITHMETIC_FP32] = run_fp32,
                                [ARITHMETIC_FP16] = run_fp16,
                                [ARITHMETIC_BF16] = run_bf16,
                                [ARITHMETIC_FP64] = run_fp64}},
    .exact = {[ARITHMETIC_COMPLEX64] = run_complex64, [ARITHMETIC_COMPLEX128] = run_complex128},
};

#else

/* The contract. */
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "ops/check.h"

enum { GRAD_OUTPUT, OUTPUT_OF_SIGMOID, GRAD_INPUT };

KERNEL_LEVELS(sigmoid_backward);
static const struct elementwise elementwise = {sigmoid_backward_kernels, .cost_ps = {100, 100}};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, OUTPUT_OF_SIGMOID};
    TRY(check_dtype(call, GRAD_OUTPUT));
    TRY(check_dtype(call, OUTPUT_OF_SIGMOID));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, OUTPUT_OF_SIGMOID));
    TRY(check_promotion(call, inputs, 2, &result->computed));
    return result_broadcast(result, call, inputs, 2, result->computed, DTYPE_CASTABLE);
}

static const struct parameter parameters[] = {
    [GRAD_OUTPUT] = READ("gradOutput", &dtypes_float_results),
    [OUTPUT_OF_SIGMOID] = READ("output", &dtypes_float_results),
    [GRAD_INPUT] = WRITTEN("gradInput", &dtypes_float_results),
};

FUNCTION(aclnnSigmoidBackward, (const aclTensor *gradOutput, const aclTensor *output, aclTensor *gradInput),
         (ARG(gradOutput), ARG(output), ARG(gradInput)), .stem = "sigmoid_backward", PARAMETERS(parameters),
         .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = infer,
         .plan = elementwise_plan_plain);

#endif
