/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The pairs of doubles by which fp64 is judged (judge_pairs.h) are as near to the exact results as the judge
 * takes for granted, on every instruction set alike, and seldom missing where results are ordinary numbers.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

#include "numerics/draw.h"
#include "numerics/judge_pairs.h"
#include "numerics/reference_calculations.h"
#include "base/processor.h"

/* Bits enough for a product of 106 bits beside a sum of 2^1023 and 2^-1074. */
enum { TASKS = 60, EXACT_BITS = 4500 };

#if defined(__x86_64__)
static pairs_function *const passes[] = {pairs_baseline, pairs_avx2, pairs_avx512};
#else
static pairs_function *const passes[] = {pairs_baseline};
#endif
enum { PASSES = sizeof passes / sizeof *passes };

static void set_exact(mpfr_t result, const struct task *task, double g, double x)
{
    const struct calculation c = calculation_of(task, (const uint64_t[INPUTS_MAX]){0});
    const double other = has_scalar(task->stem) ? task->slope : x;
    mpfr_set_d(result, x, MPFR_RNDN);
    if (is_calculation(task->stem)) {
        mpfr_set_d(result, c.stem == DIV ? g : other, MPFR_RNDN);
        if (c.stem == MUL)
            mpfr_mul_d(result, result, g, MPFR_RNDN);
        else if (c.stem == DIV)
            mpfr_div_d(result, result, other, MPFR_RNDN);
        else
            mpfr_mul_d(result, result, c.alpha, MPFR_RNDN);
        if (c.stem == ADD)
            mpfr_add_d(result, result, g, MPFR_RNDN);
    } else if (task->stem == LEAKY_RELU || task->stem == LEAKY_RELU_BACKWARD) {
        mpfr_set_d(result, g, MPFR_RNDN);
        if (x <= 0)
            mpfr_mul_d(result, result, task->slope, MPFR_RNDN);
    } else if (task->stem == SIGMOID) {
        mpfr_prec_round(result, 400, MPFR_RNDN);
        mpfr_neg(result, result, MPFR_RNDN);
        mpfr_exp(result, result, MPFR_RNDN);
        mpfr_add_ui(result, result, 1, MPFR_RNDN);
        mpfr_ui_div(result, 1, result, MPFR_RNDN);
    } else if (task->stem == SIGMOID_BACKWARD) {
        mpfr_ui_sub(result, 1, result, MPFR_RNDN);
        mpfr_mul_d(result, result, x, MPFR_RNDN);
        mpfr_mul_d(result, result, g, MPFR_RNDN);
    } else {
        mpfr_sqr(result, result, MPFR_RNDN);
        mpfr_ui_sub(result, 1, result, MPFR_RNDN);
        mpfr_mul_d(result, result, g, MPFR_RNDN);
    }
}

/* Whether the pair says anything; what it says must be true. */
static bool is_near(const struct task *task, double g, double x, struct pair pair)
{
    if (isnan(pair.low) || !(fabs(pair.high) > 0x1p-950 && fabs(pair.high) < 0x1p+1000))
        return false;
    mpfr_t exact, error;
    mpfr_init2(exact, EXACT_BITS);
    mpfr_init2(error, 300);
    set_exact(exact, task, g, x);
    mpfr_sub_d(error, exact, pair.high, MPFR_RNDN);
    mpfr_sub_d(error, error, pair.low, MPFR_RNDN);
    mpfr_div(error, error, exact, MPFR_RNDN);
    const double relative = fabs(mpfr_get_d(error, MPFR_RNDA));
    if (!(relative <= 0x1p-90))
        print_error("operator %d: g %a x %a slope %a beta %a: %a + %a is off by %a\n", (int)task->stem, g, x,
                    task->slope, (double)task->beta, pair.high, pair.low, relative);
    assert_true(relative <= 0x1p-90);
    mpfr_clears(exact, error, (mpfr_ptr)0);
    return true;
}

static bool is_ordinary(double value)
{
    return fabs(value) > 0x1p-200 && fabs(value) < 0x1p+200;
}

static void pairs_are_near_the_exact_results(void **state)
{
    (void)state;
    static const enum reference_operator stems[] = {LEAKY_RELU,    LEAKY_RELU_BACKWARD,
                                                    SIGMOID,       SIGMOID_BACKWARD,
                                                    TANH_BACKWARD, ADD,
                                                    SUB,           MUL,
                                                    DIV,           ADDS,
                                                    SUBS,          MULS,
                                                    DIVS};
    double input[INPUTS_MAX][JUDGE_CHUNK];
    struct pair pair[PASSES][JUDGE_CHUNK];
    const int highest = (int)processor_kernel_level(), passes_here = highest < PASSES ? highest + 1 : PASSES;
    for (size_t s = 0; s < sizeof stems / sizeof *stems; s++) {
        uint64_t said = 0, ordinary = 0;
        struct generator generator = {.state = s};
        for (uint64_t i = 0; i < TASKS; i++) {
            const struct task task = nth_task(stems[s], ARITHMETIC_FP64, i);
            const int last = reference_inputs(task.stem) == 1 ? 0 : 1;
            memset(pair, 0, sizeof pair);
            for (int j = 0; j < JUDGE_CHUNK; j++) {
                uint64_t bits[INPUTS_MAX];
                draw_inputs(&generator, &task, bits);
                for (int k = 0; k < INPUTS_MAX; k++)
                    input[k][j] = value_of(&formats[ARITHMETIC_FP64], bits[k]);
            }
            for (int pass = 0; pass < passes_here; pass++)
                passes[pass](&task, input[0], input[last], JUDGE_CHUNK, pair[pass]);
            for (int j = 0; j < JUDGE_CHUNK; j++) {
                const double g = input[0][j], x = input[last][j];
                const bool is_usual = is_ordinary(g) && is_ordinary(x) && is_ordinary(pair[0][j].high);
                for (int pass = 1; pass < passes_here; pass++)
                    assert_true(memcmp(&pair[pass][j], &pair[0][j], sizeof *pair[0]) == 0 ||
                                isnan(pair[0][j].low));
                const bool is_known = is_near(&task, g, x, pair[0][j]);
                said += is_usual && is_known;
                ordinary += is_usual;
            }
        }
        /* A slope of 0 or infinity, of an alpha next to the ends, is what it is. */
        if (!(ordinary > 10000 && said * 100 >= ordinary * 99))
            print_error("operator %d: %llu of %llu\n", (int)stems[s], (unsigned long long)said,
                        (unsigned long long)ordinary);
        assert_true(ordinary > 10000 && said * 100 >= ordinary * 99);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_are_near_the_exact_results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
