/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A result depends on its own inputs alone: not on the array's length or alignment, the element's place in
 * it, its neighbours, the instruction set, or whether the output is one of the inputs. And nothing outside
 * the output is written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "numerics/draw.h"
#include "numerics/kernel_table.h"
#include "numerics/sweep.h"
#include "support/sanitizer.h"

enum {
    LENGTH_MAX = 257,
    MISALIGNMENT_MAX = 64,
    GUARD = 64,
    BYTES = (LENGTH_MAX * 8 + 63) / 64 * 64 + MISALIGNMENT_MAX + 2 * GUARD
};

struct call {
    struct task task;
    kernel_function *run;
    bool streams;
    const void *parameters;
    size_t bytes; /* of an element */
};

typedef void check_function(const struct call *call, char (*inputs)[LENGTH_MAX * 8], const char *wanted);

/* Calls check for one kernel with inputs and what the baseline kernel makes of each element alone. */
static void check_kernel(check_function *check, kernel_function *run, enum accuracy accuracy,
                         struct task task)
{
    struct call call = {.task = task, .run = run, .bytes = (size_t)formats[task.dtype].bits / 8};
    const struct kernel_parameters parameters = parameters_of(&call.task);
    call.parameters = &parameters;
    char inputs[INPUTS_MAX][LENGTH_MAX * 8], wanted[LENGTH_MAX * 8];
    struct generator generator = {.state = (uint64_t)task.stem * ARITHMETICS + (uint64_t)task.dtype};
    for (size_t i = 0; i < LENGTH_MAX; i++) {
        uint64_t bits[INPUTS_MAX];
        draw_inputs(&generator, &call.task, bits);
        const void *element[INPUTS_MAX];
        for (int j = 0; j < INPUTS_MAX; j++) {
            element[j] = inputs[j] + i * call.bytes;
            memcpy(inputs[j] + i * call.bytes, &bits[j], call.bytes);
        }
        kernel_table[task.stem][ISA_BASELINE]->run[accuracy][task.dtype](element, wanted + i * call.bytes, 1,
                                                                         call.parameters, false);
    }
    check(&call, inputs, wanted);
}

/* Every kernel: with slope 0.3 and beta 0.7, which split the inputs into both branches; and with slope -0.5
 * and beta 1, powers of two, for which some kernels have ways of their own. */
static void for_each_kernel(check_function *check)
{
    for (int stem = 0; stem < REFERENCE_OPERATORS; stem++)
        for (int dtype = 0; dtype < ARITHMETICS; dtype++)
            for (int level = 0; level <= (int)processor_kernel_level(); level++)
                for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++) {
                    const enum reference_operator which = (enum reference_operator)stem;
                    const bool beta = has_beta(which), slope = has_slope(which);
                    kernel_function *run = kernel_table[stem][level]->run[accuracy][dtype];
                    if (!run)
                        continue;
                    check_kernel(check, run, (enum accuracy)accuracy,
                                 nth_task(which, (enum arithmetic)dtype, beta ? 6 : 5));
                    if (beta || slope)
                        check_kernel(check, run, (enum accuracy)accuracy,
                                     nth_task(which, (enum arithmetic)dtype, beta ? 3 : 1));
                }
}

/* Runs on count elements from first on, input j at offset[j] of an aligned array; the output must be right
 * and stand alone. */
static void check_at(const struct call *call, char (*inputs)[LENGTH_MAX * 8], const char *wanted,
                     size_t first, size_t count, const size_t *offset)
{
    _Alignas(64) char array[INPUTS_MAX + 1][BYTES];
    const void *source[INPUTS_MAX];
    for (int j = 0; j < INPUTS_MAX; j++) {
        source[j] = array[j] + GUARD + offset[j];
        memcpy(array[j] + GUARD + offset[j], inputs[j] + first * call->bytes, count * call->bytes);
    }
    char *target = array[INPUTS_MAX] + GUARD + offset[INPUTS_MAX];
    memset(array[INPUTS_MAX], 0x5a, BYTES);
    call->run(source, target, count, call->parameters, call->streams);
    assert_memory_equal(target, wanted + first * call->bytes, count * call->bytes);
    for (const char *byte = array[INPUTS_MAX]; byte < target; byte++)
        assert_int_equal(*byte, 0x5a);
    for (const char *byte = target + count * call->bytes; byte < array[INPUTS_MAX] + BYTES; byte++)
        assert_int_equal(*byte, 0x5a);
}

static void check_lengths(const struct call *call, char (*inputs)[LENGTH_MAX * 8], const char *wanted)
{
    const size_t aligned[INPUTS_MAX + 1] = {0};
    for (size_t count = 0; count <= LENGTH_MAX; count++)
        check_at(call, inputs, wanted, (LENGTH_MAX - count) / 2, count, aligned);
}

static void check_alignments(const struct call *call, char (*inputs)[LENGTH_MAX * 8], const char *wanted)
{
    for (size_t offset = 0; offset < MISALIGNMENT_MAX; offset += call->bytes)
        for (int which = 0; which <= INPUTS_MAX; which++) {
            size_t offsets[INPUTS_MAX + 1] = {0};
            offsets[which] = offset;
            check_at(call, inputs, wanted, 0, 70, offsets);
        }
}

static void check_streaming(const struct call *call, char (*inputs)[LENGTH_MAX * 8], const char *wanted)
{
    struct call streaming = *call;
    streaming.streams = true;
    for (size_t bytes = 64; bytes <= LENGTH_MAX * call->bytes; bytes += 64)
        for (size_t offset = 0; offset < MISALIGNMENT_MAX; offset += call->bytes)
            check_at(&streaming, inputs, wanted, 0, bytes / call->bytes,
                     (const size_t[INPUTS_MAX + 1]){offset, 0, MISALIGNMENT_MAX - call->bytes, 0});
}

static void check_in_place(const struct call *call, char (*inputs)[LENGTH_MAX * 8], const char *wanted)
{
    for (int which = 0; which < reference_inputs(call->task.stem); which++) {
        char copy[LENGTH_MAX * 8];
        memcpy(copy, inputs[which], sizeof copy);
        const void *source[INPUTS_MAX] = {inputs[0], inputs[1], inputs[2]};
        source[which] = copy;
        call->run(source, copy, LENGTH_MAX, call->parameters, false);
        assert_memory_equal(copy, wanted, LENGTH_MAX * call->bytes);
    }
}

/*
 * Kernels have ways of their own for blocks that mix subnormal gradients, infinite ones and others: gradients
 * of one kind alone, and the same between neighbours of every kind. All x of 16 bits, since ways differ where
 * roundings meet.
 */
enum { ALL = 1 << 16, TURNS = UNDER_SANITIZER ? 2 : 16 };

static void check_neighbours(const struct task *task, kernel_function *run)
{
    static uint16_t apart[INPUTS_MAX][ALL], mixed[INPUTS_MAX][2 * ALL], wanted[ALL];
    static _Alignas(64) uint16_t found[2 * ALL]; /* as streams need it */
    const struct format *format = &formats[task->dtype];
    const struct kernel_parameters parameters = parameters_of(task);
    const uint64_t fraction = ((uint64_t)1 << format->fraction_bits) - 1, one = bits_of(format, 1);
    struct generator generator = {.state = (uint64_t)task->stem * ARITHMETICS + (uint64_t)task->dtype};
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < ALL; i++) {
            const uint64_t random = draw_bits(&generator), near = (uint64_t)i ^ (random >> 16 & 0x87ff);
            apart[0][i] = (uint16_t)((random >> 48 & fraction) | (turn % 4 == 3 ? 0 : one));
            apart[1][i] = (uint16_t)i;
            apart[2][i] = (uint16_t)(turn % 2 == 0 || random % 2 == 0 ? near : random >> 16);
        }
        run((const void *[]){apart[0], apart[1], apart[2]}, wanted, ALL, &parameters, false);
        for (int i = 0; i < ALL; i++) {
            const uint64_t random = draw_bits(&generator);
            const uint64_t neighbour = random % 64 == 0 ? draw_element(&generator, format)
                                                        : (random >> 16 & fraction) | (random % 2 ? one : 0);
            for (int j = 0; j < INPUTS_MAX; j++) {
                mixed[j][2 * i] = apart[j][i];
                mixed[j][2 * i + 1] = j == 0 ? (uint16_t)neighbour : mixed[j][2 * i];
            }
        }
        run((const void *[]){mixed[0], mixed[1], mixed[2]}, found, 2 * (size_t)ALL, &parameters, turn % 2);
        for (int i = 0; i < ALL; i++)
            if (found[2 * i] != wanted[i])
                fail_msg("%s: %04x %04x %04x gives %04x alone and %04x between others",
                         reference_operator_names[task->stem], apart[0][i], apart[1][i], apart[2][i],
                         wanted[i], found[2 * i]);
    }
}

static void neighbours_of_any_kind_leave_a_result_as_it_is(void **state)
{
    (void)state;
    for (int stem = 0; stem < REFERENCE_OPERATORS; stem++)
        for (int dtype = 0; dtype < ARITHMETICS; dtype++) {
            const enum reference_operator which = (enum reference_operator)stem;
            kernel_function *run = kernel_table[stem][processor_kernel_level()]->run[ACCURACY_DEFAULT][dtype];
            if (!run || formats[dtype].bits != 16)
                continue;
            struct task task = nth_task(which, (enum arithmetic)dtype, has_beta(which) ? 3 : 5);
            check_neighbours(&task, run);
            task = nth_task(which, (enum arithmetic)dtype, 1);
            if (has_slope(which))
                check_neighbours(&task, run);
        }
}

static void every_length_up_to_257_gives_the_bits_of_each_element_alone(void **state)
{
    (void)state;
    for_each_kernel(check_lengths);
}

static void every_misalignment_of_each_array_gives_the_same_bits(void **state)
{
    (void)state;
    for_each_kernel(check_alignments);
}

static void results_written_past_the_caches_have_the_same_bits(void **state)
{
    (void)state;
    for_each_kernel(check_streaming);
}

static void the_output_may_be_any_of_the_inputs(void **state)
{
    (void)state;
    for_each_kernel(check_in_place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_up_to_257_gives_the_bits_of_each_element_alone),
        cmocka_unit_test(every_misalignment_of_each_array_gives_the_same_bits),
        cmocka_unit_test(results_written_past_the_caches_have_the_same_bits),
        cmocka_unit_test(the_output_may_be_any_of_the_inputs),
        cmocka_unit_test(neighbours_of_any_kind_leave_a_result_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
