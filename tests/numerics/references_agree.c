/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The two references against each other, and the judge against both: it must take their result and refuse its
 * neighbours.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "numerics/draw.h"
#include "numerics/judge.h"
#include "support/effort.h"

enum { TASKS = 120 };

static bool has_dtype(enum reference_operator stem, enum arithmetic dtype)
{
    return dtype != ARITHMETIC_FP64 || stem == LEAKY_RELU_BACKWARD || stem == LEAKY_RELU || stem == SIGMOID ||
           stem == SIGMOID_BACKWARD || stem == TANH_BACKWARD || is_calculation(stem);
}

static void complain(const struct task *task, const uint64_t *input, uint64_t got, uint64_t wanted)
{
    const struct format *format = &formats[task->dtype];
    print_error("operator %d %s: g %a x %a t %a slope %a beta %a N %llu: %llx and %llx\n", (int)task->stem,
                format->name, value_of(format, input[0]), value_of(format, input[1]),
                value_of(format, input[2]), task->slope, (double)task->beta,
                (unsigned long long)task->divisor, (unsigned long long)got, (unsigned long long)wanted);
}

static uint64_t judged_wrong(const struct judge *judge, const uint64_t *input, uint64_t output)
{
    /* The low bytes come first on every machine that is supported. */
    const void *const source[INPUTS_MAX] = {&input[0], &input[1], &input[2]};
    struct verdict verdict = {0};
    judge_results(judge, source, &output, 1, &verdict);
    return verdict.wrong;
}

static void integers_and_mpfr_give_the_same_bits_and_the_judge_takes_only_those(void **state)
{
    (void)state;
    struct generator generator = {.state = 1};
    const uint64_t tuples = (uint64_t)times_effort(8);
    for (int stem = 0; stem < PROVED_OPERATORS; stem++) {
        for (int dtype = 0; dtype < ARITHMETICS; dtype++) {
            if (!has_dtype((enum reference_operator)stem, (enum arithmetic)dtype))
                continue;
            const struct format *format = &formats[dtype];
            const uint64_t all = 2 * magnitude_mask(format) + 1;
            struct task task = nth_task((enum reference_operator)stem, (enum arithmetic)dtype, 0);
            struct judge judge;
            judge_init(&judge, &task);
            /* Most of the others take no attributes, and what is wrong in fp64 goes to integers. */
            const uint64_t count =
                is_of_other_family((enum reference_operator)stem) ? tuples * TASKS / 8 : tuples * TASKS;
            for (uint64_t i = 0; i < count; i++) {
                judge.task = task = nth_task(task.stem, task.dtype, i / tuples);
                uint64_t input[INPUTS_MAX];
                draw_inputs(&generator, &task, input);
                uint64_t integer = reference_integer(&task, input), mpfr = reference_mpfr(&task, input);
                if (integer != mpfr)
                    complain(&task, input, integer, mpfr);
                assert_int_equal(integer, mpfr);
                assert_int_equal(judged_wrong(&judge, input, integer), 0);
                uint64_t other[] = {(integer + 1) & all, (integer - 1) & all, integer ^ (all / 2 + 1)};
                for (int j = 0; j < 3; j++) {
                    if (!judged_wrong(&judge, input, other[j]))
                        complain(&task, input, other[j], integer);
                    assert_int_equal(judged_wrong(&judge, input, other[j]), 1);
                }
            }
            judge_release(&judge);
        }
    }
}

static void the_derivative_of_silu_agrees_around_its_root(void **state)
{
    (void)state;
    const struct task task = {.stem = SILU_BACKWARD, .dtype = ARITHMETIC_FP32, .divisor = 1};
    for (uint64_t bits = 0xbfa3a4ba - 300; bits <= 0xbfa3a4ba + 300; bits++) {
        const uint64_t input[INPUTS_MAX] = {0x3f800000, bits, 0};
        assert_int_equal(reference_integer(&task, input), reference_mpfr(&task, input));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_and_mpfr_give_the_same_bits_and_the_judge_takes_only_those),
        cmocka_unit_test(the_derivative_of_silu_agrees_around_its_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
