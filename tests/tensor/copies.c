/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Which operands are copied before work runs, how many bytes that takes, and what the work is given.
 */
#include "tensor/copies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { FLOATS = 32, LINE = 64, INDICES = 3 };

static _Alignas(64) float memory[4 * FLOATS];
static _Alignas(64) unsigned char scratch[16 * LINE];
static struct executor_operand operand[2 * INDICES + 1];
static void *address[2 * INDICES + 1];
static void *given[2 * INDICES + 1];
static void *given_work;
static unsigned plan_word = 7;
static uint64_t indices_run[INDICES];
static unsigned runs;

static int run(const void *plan, void *const *places, void *work)
{
    assert_ptr_equal(plan, &plan_word);
    memcpy(given, places, sizeof given);
    given_work = work;
    runs++;
    return 507035;
}

static int run_index(const void *plan, uint64_t index, void *const *places, void *work)
{
    assert_ptr_equal(plan, &plan_word);
    (void)work;
    memcpy(given, places, sizeof given);
    indices_run[runs++] = index;
    *(float *)places[INDICES + index] = *(const float *)places[index] + 1; /* x to out */
    return 0;
}

static size_t work_bytes(const void *plan)
{
    (void)plan;
    return 5;
}

static size_t no_work_bytes(const void *plan)
{
    (void)plan;
    return 0;
}

static const struct operation plain = {.name = "aclnnPlain", .run = run, .work_bytes = work_bytes};
static const struct operation workless = {.name = "aclnnWorkless", .run = run, .work_bytes = no_work_bytes};
static const struct operation first = {.name = "aclnnFirst", .run = run, .reads_first = true};
static const struct operation by_index = {.name = "aclnnByIndex", .run = run, .run_index = run_index};

static struct executor_operand operand_of(uint16_t input, uint16_t output, int64_t count)
{
    return (struct executor_operand){
        .input = input, .output = output, .offset = 3, .reach = count + 2, .element_bytes = sizeof(float)};
}

static struct executor_content content_of(const struct operation *operation, uint32_t operands)
{
    return (struct executor_content){.operation = operation,
                                     .runs = operation,
                                     .operand_count = operands,
                                     .operand = operand,
                                     .plan = (unsigned char *)&plan_word};
}

/* An input of 8 floats and two outputs of as many, at these floats of the memory. */
static size_t bytes_at(const struct operation *operation, int in, int out, int other)
{
    const struct executor_content content = content_of(operation, 3);
    operand[0] = operand_of(0, OPERAND_IN_NO_PLACE, 8);
    operand[0].may_be = 2; /* the second one */
    operand[1] = operand_of(OPERAND_IN_NO_PLACE, 0, 8);
    operand[2] = operand_of(OPERAND_IN_NO_PLACE, 1, 8);
    address[0] = in < 0 ? NULL : memory + in;
    address[1] = out < 0 ? NULL : memory + out;
    address[2] = other < 0 ? NULL : memory + other;
    return copies_bytes(&content, address);
}

static void an_input_that_meets_an_output_is_copied(void **state)
{
    (void)state;
    assert_int_equal(bytes_at(&plain, 0, 8, 16), 0);
    assert_int_equal(bytes_at(&plain, 0, 7, 16), 2 * LINE); /* the addresses, and 32 bytes */
    assert_int_equal(bytes_at(&plain, 0, 16, 7), 2 * LINE);
    assert_int_equal(bytes_at(&plain, 8, 1, 16), 2 * LINE);
    assert_int_equal(bytes_at(&plain, 8, 0, 16), 0);
    assert_int_equal(bytes_at(&plain, 4, 0, 8), 2 * LINE);
    assert_int_equal(bytes_at(&plain, 10, 0, 24), 0); /* within what is around both, and in none */
    assert_int_equal(bytes_at(&plain, 0, -1, -1), 0);
    assert_int_equal(bytes_at(&plain, -1, 0, 0), 0);
}

static void an_input_may_be_the_output_that_it_may_be(void **state)
{
    (void)state;
    assert_int_equal(bytes_at(&plain, 0, 16, 0), 0);
    assert_int_equal(bytes_at(&plain, 0, 0, 16), 2 * LINE);
    assert_int_equal(bytes_at(&plain, 0, 7, 0), 2 * LINE); /* the other output meets it */
    assert_int_equal(bytes_at(&plain, 0, -1, 0), 0);
    assert_int_equal(bytes_at(&plain, 1, -1, 0), 2 * LINE);
    assert_int_equal(bytes_at(&first, 0, 0, 4), 0);
}

static void what_is_changed_or_ignored_is_not_copied(void **state)
{
    const struct executor_content content = content_of(&plain, 3);
    (void)state;
    (void)bytes_at(&plain, 0, 0, 16);
    operand[0] = operand_of(0, 2, 8); /* read and written */
    assert_int_equal(copies_bytes(&content, address), 0);
    operand[0] = operand_of(OPERAND_IN_NO_PLACE, OPERAND_IN_NO_PLACE, 8);
    assert_int_equal(copies_bytes(&content, address), 0);
    operand[0] = operand_of(0, OPERAND_IN_NO_PLACE, 8);
    assert_int_equal(copies_bytes(&content, address), 2 * LINE);
}

static void the_work_gets_the_copies_and_what_it_works_in(void **state)
{
    (void)state;
    for (int i = 0; i < 4 * FLOATS; i++)
        memory[i] = (float)i;
    const size_t bytes = bytes_at(&plain, 2, 4, 16);
    struct executor_content content = content_of(&plain, 3);
    assert_int_equal(copies_run(&content, address, scratch, bytes), 507035);
    assert_ptr_equal(given[0], scratch + LINE);
    assert_ptr_equal(given[1], address[1]);
    assert_ptr_equal(given[2], address[2]);
    assert_ptr_equal(given_work, scratch + bytes);
    assert_memory_equal(given[0], memory + 2, 8 * sizeof(float));
    assert_int_equal(((unsigned char *)given[0])[8 * sizeof(float)], 0); /* and no more */
    content = content_of(&workless, 3);
    (void)copies_run(&content, address, scratch, bytes);
    assert_null(given_work);
}

/* A list of inputs, one of outputs, and an input of none, each of one float. */
static struct executor_content lists(const int *in, const int *out, int single)
{
    const struct executor_content content = content_of(&by_index, 2 * INDICES + 1);
    for (uint32_t i = 0; i < INDICES; i++) {
        operand[i] = operand_of(0, OPERAND_IN_NO_PLACE, 1);
        operand[INDICES + i] = operand_of(OPERAND_IN_NO_PLACE, 0, 1);
        operand[i].list_length = operand[INDICES + i].list_length = INDICES;
        operand[i].element = operand[INDICES + i].element = i;
        address[i] = memory + in[i];
        address[INDICES + i] = memory + out[i];
    }
    operand[2 * INDICES] = operand_of(1, OPERAND_IN_NO_PLACE, 1);
    address[2 * INDICES] = memory + single;
    return content;
}

static void an_index_sees_what_earlier_ones_wrote(void **state)
{
    (void)state;
    for (int i = 0; i < 4 * FLOATS; i++)
        memory[i] = (float)i;
    /* What other indices write is no reason for a copy. */
    struct executor_content content = lists((int[]){0, 10, 11}, (int[]){10, 11, 20}, 30);
    assert_int_equal(copies_bytes(&content, address), 0);
    content = lists((int[]){0, 10, 11}, (int[]){10, 11, 20}, 10); /* what is of no list is as it was */
    const size_t bytes = copies_bytes(&content, address);
    assert_int_equal(bytes, 2 * LINE);
    runs = 0;
    assert_int_equal(copies_run(&content, address, scratch, bytes), 0);
    assert_int_equal(runs, INDICES);
    for (uint64_t i = 0; i < INDICES; i++)
        assert_int_equal(indices_run[i], i);
    assert_true(*(float *)given[2 * INDICES] == 10);
    assert_true(memory[10] == 1 && memory[11] == 2 && memory[20] == 3);
    /* Each index has the room of the one before. */
    content = lists((int[]){0, 10, 11}, (int[]){0, 10, 11}, 30);
    assert_int_equal(copies_bytes(&content, address), 2 * LINE);
    for (int i = 0; i < INDICES; i++)
        operand[i].may_be = 1;
    assert_int_equal(copies_bytes(&content, address), 0);
    content = lists((int[]){0, 10, 11}, (int[]){10, 20, 21}, 30);
    operand[1].may_be = 1; /* of its own index alone */
    content.runs = &plain;
    assert_int_equal(copies_bytes(&content, address), 2 * LINE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_that_meets_an_output_is_copied),
        cmocka_unit_test(an_input_may_be_the_output_that_it_may_be),
        cmocka_unit_test(what_is_changed_or_ignored_is_not_copied),
        cmocka_unit_test(the_work_gets_the_copies_and_what_it_works_in),
        cmocka_unit_test(an_index_sees_what_earlier_ones_wrote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
