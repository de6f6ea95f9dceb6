/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A result depends on its own inputs alone: not on the array's length or alignment, the element's place in
 * it, the instruction set, or whether the output is one of the inputs. And nothing outside the output is
 * written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "numerics/draw.h"
#include "numerics/kernel_table.h"

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

/* Calls check for every kernel, with inputs and what the baseline kernel makes of each element alone. */
static void for_each_kernel(check_function *check)
{
    for (int stem = 0; stem < REFERENCE_OPERATORS; stem++)
        for (int dtype = 0; dtype < ARITHMETICS; dtype++)
            for (int level = 0; level <= (int)processor_level(); level++)
                for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++) {
                    struct call call = {.run = kernel_table[stem][level]->run[accuracy][dtype]};
                    if (!call.run)
                        continue;
                    /* Slope 0.3 and beta 0.7, which split the inputs into both branches. */
                    call.task = nth_task((enum reference_operator)stem, (enum arithmetic)dtype,
                                         has_beta((enum reference_operator)stem) ? 6 : 5);
                    const struct kernel_parameters parameters = parameters_of(&call.task);
                    call.parameters = &parameters;
                    call.bytes = (size_t)formats[dtype].bits / 8;
                    char inputs[INPUTS_MAX][LENGTH_MAX * 8], wanted[LENGTH_MAX * 8];
                    struct generator generator = {.state = (uint64_t)(stem * ARITHMETICS + dtype)};
                    for (size_t i = 0; i < LENGTH_MAX; i++) {
                        uint64_t bits[INPUTS_MAX];
                        draw_inputs(&generator, &call.task, bits);
                        const void *element[INPUTS_MAX];
                        for (int j = 0; j < INPUTS_MAX; j++) {
                            element[j] = inputs[j] + i * call.bytes;
                            memcpy(inputs[j] + i * call.bytes, &bits[j], call.bytes);
                        }
                        kernel_table[stem][ISA_BASELINE]->run[accuracy][dtype](
                            element, wanted + i * call.bytes, 1, call.parameters, false);
                    }
                    check(&call, inputs, wanted);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
