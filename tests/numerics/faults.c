/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The check that is applied to the kernels everywhere must catch faults. Each of these is planted in a
 * kernel, in its source (numerics/planted) or around it, and must be found; the kernel without it must pass.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "numerics/contraction.h"
#include "numerics/draw.h"
#include "numerics/judge.h"
#include "numerics/kernel_table.h"
#include "support/effort.h"

extern const struct kernels hardswish_backward_kernels_double_rounding;
extern const struct kernels leaky_relu_backward_kernels_double_rounding;
extern const struct kernels smooth_l1_loss_backward_kernels_dropped_sticky_bit;
extern const struct kernels hardswish_backward_kernels_lost_tiny_argument;
extern const struct kernels hardswish_backward_kernels_no_doubts;
extern const struct kernels silu_backward_kernels_no_doubts;

static kernel_function *real(const struct task *task)
{
    return kernel_table[task->stem][ISA_BASELINE]->run[ACCURACY_DEFAULT][task->dtype];
}

/* fp32 hardswish with the open ends of its newer version. */
static void open_boundary(const void *const *input, void *output, size_t count, const void *parameters,
                          bool streams)
{
    const struct task task = {.stem = HARDSWISH_BACKWARD, .dtype = ARITHMETIC_FP32};
    const float *g = input[0], *x = input[1];
    float *out = output;
    real (&task)(input, output, count, parameters, streams);
    for (size_t i = 0; i < count; i++)
        out[i] = x[i] == 3 ? g[i] : x[i] == -3 ? g[i] * 0 : out[i];
}

/* fp32 hardswish whose last elements are computed by the textbook. */
static void different_tail(const void *const *input, void *output, size_t count, const void *parameters,
                           bool streams)
{
    const struct task task = {.stem = HARDSWISH_BACKWARD, .dtype = ARITHMETIC_FP32};
    const float *g = input[0], *x = input[1];
    float *out = output;
    size_t whole = count / 16 * 16;
    real (&task)(input, output, whole, parameters, streams);
    for (size_t i = whole; i < count; i++)
        out[i] = x[i] < -3 ? g[i] * 0 : x[i] > 3 ? g[i] : g[i] * (x[i] / 3 + 0.5F);
}

/* bf16 silu that takes its even lanes for its odd ones in one vector of 256, as one level's body might. */
static void wrong_body(const void *const *input, void *output, size_t count, const void *parameters,
                       bool streams)
{
    const struct task task = {.stem = SILU_BACKWARD, .dtype = ARITHMETIC_BF16};
    uint16_t *out = output;
    real (&task)(input, output, count, parameters, streams);
    for (size_t i = 0; i + 8 <= count; i += 2048)
        for (size_t j = i; j < i + 8; j += 2) {
            uint16_t even = out[j];
            out[j] = out[j + 1];
            out[j + 1] = even;
        }
}

/*
 * The check: blocks of pairs (16 bits), random tuples with all attributes, and short arrays, all judged. The
 * number of wrong results.
 */
static uint64_t judged_wrong(kernel_function *run, struct task task)
{
    enum { BLOCK = 65536, SHORT = 70 };
    /* What finds each fault, also where other tests draw less. */
    const uint64_t times = effort() > 1 ? (uint64_t)effort() : 1, pair_blocks = 2 * times,
                   tuple_blocks = 4 * times;
    static uint64_t arrays[INPUTS_MAX + 1][BLOCK];
    const size_t bytes = (size_t)formats[task.dtype].bits / 8;
    const bool narrow = bytes == 2;
    struct verdict verdict = {0};
    struct judge judge;
    judge_init(&judge, &task);
    for (uint64_t block = 0; block < pair_blocks + tuple_blocks; block++) {
        struct generator generator = {.state = block};
        uint64_t gradient = draw_element(&generator, &formats[task.dtype]);
        judge.task = task = nth_task(task.stem, task.dtype, block);
        for (size_t i = 0; i < BLOCK; i++) {
            uint64_t bits[INPUTS_MAX];
            draw_inputs(&generator, &task, bits);
            if (narrow && block < pair_blocks) {
                bits[0] = task.stem == LEAKY_RELU_BACKWARD ? i : gradient;
                bits[1] = task.stem == LEAKY_RELU_BACKWARD ? bits_of(&formats[task.dtype], -1) : i;
            }
            for (int j = 0; j < INPUTS_MAX; j++)
                memcpy((char *)arrays[j] + i * bytes, &bits[j], bytes);
        }
        const struct kernel_parameters parameters = parameters_of(&task);
        const void *const input[INPUTS_MAX] = {arrays[0], arrays[1], arrays[2]};
        run(input, arrays[INPUTS_MAX], BLOCK, &parameters, false);
        judge_results(&judge, input, arrays[INPUTS_MAX], BLOCK, &verdict);
        for (size_t count = 1; count < SHORT; count++) {
            run(input, arrays[INPUTS_MAX], count, &parameters, false);
            judge_results(&judge, input, arrays[INPUTS_MAX], count, &verdict);
        }
    }
    judge_release(&judge);
    return verdict.wrong;
}

static void caught(const char *name, kernel_function *faulty, enum reference_operator stem,
                   enum arithmetic dtype)
{
    const struct task task = nth_task(stem, dtype, 0);
    uint64_t wrong = judged_wrong(faulty, task);
    print_message("%s: %llu wrong results found\n", name, (unsigned long long)wrong);
    assert_true(wrong > 0);
    assert_int_equal(judged_wrong(real(&task), task), 0);
}

static void a_double_rounding_is_caught(void **state)
{
    (void)state;
    const struct kernels *hardswish = &hardswish_backward_kernels_double_rounding;
    const struct kernels *leaky_relu = &leaky_relu_backward_kernels_double_rounding;
    caught("double rounding, fp16 hardswish", hardswish->run[ACCURACY_DEFAULT][ARITHMETIC_FP16],
           HARDSWISH_BACKWARD, ARITHMETIC_FP16);
    caught("double rounding, bf16 hardswish", hardswish->run[ACCURACY_DEFAULT][ARITHMETIC_BF16],
           HARDSWISH_BACKWARD, ARITHMETIC_BF16);
    caught("double rounding, fp16 leaky relu", leaky_relu->run[ACCURACY_DEFAULT][ARITHMETIC_FP16],
           LEAKY_RELU_BACKWARD, ARITHMETIC_FP16);
}

static void a_dropped_sticky_bit_is_caught(void **state)
{
    (void)state;
    const struct kernels *faulty = &smooth_l1_loss_backward_kernels_dropped_sticky_bit;
    caught("dropped sticky bit, fp32", faulty->run[ACCURACY_DEFAULT][ARITHMETIC_FP32],
           SMOOTH_L1_LOSS_BACKWARD, ARITHMETIC_FP32);
    caught("dropped sticky bit, bf16", faulty->run[ACCURACY_DEFAULT][ARITHMETIC_BF16],
           SMOOTH_L1_LOSS_BACKWARD, ARITHMETIC_BF16);
}

static void a_forgotten_tiny_argument_is_caught(void **state)
{
    (void)state;
    caught("tiny argument",
           hardswish_backward_kernels_lost_tiny_argument.run[ACCURACY_DEFAULT][ARITHMETIC_FP32],
           HARDSWISH_BACKWARD, ARITHMETIC_FP32);
}

static void fast_ways_without_doubts_are_caught(void **state)
{
    (void)state;
#if defined(__x86_64__)
    if (processor_kernel_level() < ISA_AVX2)
        skip();
#endif
    caught("no doubts, hardswish",
           hardswish_backward_kernels_no_doubts.run[ACCURACY_DEFAULT][ARITHMETIC_FP32], HARDSWISH_BACKWARD,
           ARITHMETIC_FP32);
    caught("no doubts, fp16 silu", silu_backward_kernels_no_doubts.run[ACCURACY_DEFAULT][ARITHMETIC_FP16],
           SILU_BACKWARD, ARITHMETIC_FP16);
    caught("no doubts, bf16 silu", silu_backward_kernels_no_doubts.run[ACCURACY_DEFAULT][ARITHMETIC_BF16],
           SILU_BACKWARD, ARITHMETIC_BF16);
}

static void an_open_boundary_is_caught(void **state)
{
    (void)state;
    caught("open boundary", open_boundary, HARDSWISH_BACKWARD, ARITHMETIC_FP32);
}

static void a_tail_that_is_computed_differently_is_caught(void **state)
{
    (void)state;
    caught("different tail", different_tail, HARDSWISH_BACKWARD, ARITHMETIC_FP32);
}

static void a_wrong_body_of_one_level_is_caught(void **state)
{
    (void)state;
    caught("wrong body", wrong_body, SILU_BACKWARD, ARITHMETIC_BF16);
}

static void contraction_of_products_and_sums_is_caught(void **state)
{
    (void)state;
    if (processor_kernel_level() >= ISA_AVX2)
        assert_false(products_are_rounded_planted());
    assert_true(products_are_rounded());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_double_rounding_is_caught),
        cmocka_unit_test(a_dropped_sticky_bit_is_caught),
        cmocka_unit_test(a_forgotten_tiny_argument_is_caught),
        cmocka_unit_test(fast_ways_without_doubts_are_caught),
        cmocka_unit_test(an_open_boundary_is_caught),
        cmocka_unit_test(a_tail_that_is_computed_differently_is_caught),
        cmocka_unit_test(a_wrong_body_of_one_level_is_caught),
        cmocka_unit_test(contraction_of_products_and_sums_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
