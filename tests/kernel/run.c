/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Programs of kernels, run over a grid: the first one that is stopped tells where and why; copies that take what is
 * inside a tensor, stores by a mask, addresses that are found, prints and assertions.
 */
#include "kernel/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernel/kernel.h"
#include "kernel/known.h"

enum { COUNT = 6 };

struct descriptor {
    void *base, *aligned;
    int64_t offset, size[1], stride[1];
};

static int32_t memory[COUNT], other[2], ran;

static struct descriptor described(void *base, int64_t offset, int64_t size, int64_t stride)
{
    return (struct descriptor){base, base, offset, {size}, {stride}};
}

static bool find(const void *address, struct host_kernel_memory *found)
{
    if (address != other)
        return false;
    *found = (struct host_kernel_memory){
        .base = address, .first = address, .behind = (const unsigned char *)address + sizeof other};
    return true;
}

/* Runs a program over a grid of 3 x 2, with the memory as its pointer 4. */
static bool run(host_kernel_program *program, struct host_kernel_fault *fault)
{
    const struct host_kernel_memory known = {.base = (const unsigned char *)memory,
                                             .first = (const unsigned char *)memory,
                                             .behind = (const unsigned char *)(memory + COUNT),
                                             .pointer = 4};
    const struct host_kernel_launch launch = {
        .program = program, .grid = {3, 2, 1}, .memory_count = 1, .memory = &known, .find = find};
    ran = 0;
    return belay_program_run(&launch, 0, 6, fault);
}

static void stops(host_kernel_program *program, const char *sentence)
{
    struct host_kernel_fault fault = {.program = 77};
    assert_false(run(program, &fault));
    assert_string_equal(fault.sentence, sentence);
}

static void goes_on(host_kernel_program *program)
{
    struct host_kernel_fault fault;
    if (!run(program, &fault))
        fail_msg("%s", fault.sentence);
    assert_int_equal(ran, 6);
}

/* Bytes behind an address, also where no object is: nothing reads there. */
static const unsigned char *at(const void *base, intptr_t bytes)
{
    return (const unsigned char *)((uintptr_t)base + (uintptr_t)bytes);
}

static void stores_its_place(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    ran++;
    const int32_t place = (z * 2 + y) * 3 + x + memory[0];
    belay_program_check(memory, at(memory, 4 * place), 4, 1, 4, "");
}

static void leaves_downwards(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)z;
    belay_program_check(memory, at(memory, x + y == 3 ? -8 : 0), 24, 0, 4, "a.py:3");
}

static void uses_its_own(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)x;
    (void)y;
    (void)z;
    ran++;
    unsigned char *own = belay_kernel_allocate(16);
    belay_program_check(own, at(own, -100), 1000, 1, 4, "");   /* nobody's but its own */
    belay_program_check(memory, at(memory, 400), 0, 1, 4, ""); /* an empty view */
}

static void accesses_are_compared_with_the_tensor(void **state)
{
    (void)state;
    memory[0] = 0;
    goes_on(stores_its_place);
    goes_on(uses_its_own);
    memory[0] = 2;
    stops(stores_its_place,
          "program (1, 1, 0) stores 4 bytes at byte 24 of pointer 4, which has bytes 0 to 23");
    assert_int_equal(ran, 5);
    stops(leaves_downwards,
          "program (2, 1, 0) at a.py:3 loads within bytes -8 to 15 of pointer 4, which has bytes 0 to 23");
}

static void finds_memory(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)z;
    ran++;
    int32_t *found = belay_program_reach((int64_t)(intptr_t)other);
    assert_ptr_equal(found, other);
    belay_program_check(found, at(found, 4 * y), 4, 0, 4, "b.py:4");
    if (memory[0] == 1 && x == 1)
        belay_program_check(found, at(found, 8), 4, 0, 4, "b.py:5");
    found = belay_program_reach(memory[0] == 2 ? 4096 : (int64_t)(intptr_t)other);
    belay_program_check(found, at(found, 4), 4, 0, 4, "b.py:6");
}

static void addresses_that_are_found_have_bounds(void **state)
{
    (void)state;
    memory[0] = 0;
    goes_on(finds_memory);
    memory[0] = 1;
    stops(finds_memory,
          "program (1, 0, 0) at b.py:5 loads 4 bytes at byte 8 of the address, which has bytes 0 to 7");
    memory[0] = 2;
    stops(finds_memory,
          "program (0, 0, 0) at b.py:6 loads through the address, which is not that of device memory");
}

static void picks(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)y;
    (void)z;
    ran++;
    int32_t into[4] = {9, 9, 9, 9};
    struct descriptor from = described(memory, 4 - x, 4, 1), to = described(into, 0, 4, 1);
    belay_program_copy_inside(1, 4, &from, &to, "");
    for (int32_t i = 0; i < 4; i++)
        assert_int_equal(into[i], 4 - x + i < COUNT ? 10 + 4 - x + i : 0);
    assert_ptr_equal(belay_program_inside(memory, (unsigned char *)(memory + 5), 4), memory + 5);
    const int32_t *outside = belay_program_inside(memory, (unsigned char *)(memory + 6), 4);
    assert_true(outside != memory + 6 && *outside == 0);
}

static void what_is_outside_reads_as_zeros(void **state)
{
    (void)state;
    for (int32_t i = 0; i < COUNT; i++)
        memory[i] = 10 + i;
    goes_on(picks);
}

static unsigned char mask[4];

static void stores_where(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)x;
    (void)y;
    (void)z;
    ran++;
    int32_t values[] = {1, 2, 3, 4};
    struct descriptor masks = described(mask, 0, 4, 1), value = described(values, 0, 4, 1),
                      view = described(memory, 4, 4, -1);
    belay_program_store_where(1, 4, &masks, &value, &view, "c.py:1");
    view = described(memory, 3, 4, 1);
    belay_program_store_where(1, 4, &masks, &value, &view, "c.py:2");
}

static void masks_say_what_is_stored(void **state)
{
    (void)state;
    static const int32_t wanted[] = {0, 0, 0, 1, 2, 0};
    memset(memory, 0, sizeof memory);
    memcpy(mask, (const unsigned char[]){1, 1, 0, 0}, sizeof mask);
    goes_on(stores_where);
    assert_memory_equal(memory, wanted, sizeof wanted);
    mask[3] = 1;
    stops(stores_where,
          "program (0, 0, 0) at c.py:2 stores 4 bytes at byte 24 of pointer 4, which has bytes 0 to 23");
}

static void asserts(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)y;
    (void)z;
    ran++;
    struct descriptor of = described(mask, 0, 4, 1);
    bool holds = x != 1 || memory[0] != 1;
    belay_program_assert(0, KERNEL_BOOL, (const struct descriptor *)(const void *)&holds, "x is 1", false,
                         "d.py:1");
    belay_program_assert(1, KERNEL_BOOL, &of, "all", false, "d.py:2");
}

static void assertions_stop_a_program(void **state)
{
    (void)state;
    memset(mask, 1, sizeof mask);
    memory[0] = 0;
    goes_on(asserts);
    memory[0] = 1;
    stops(asserts, "program (1, 0, 0) at d.py:1 finds that an assertion does not hold: x is 1");
    mask[2] = 0;
    stops(asserts,
          "program (0, 0, 0) at d.py:2 finds that an assertion does not hold for element 2 of dim 0: all");
}

static void prints(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)z;
    if (++ran > 5 || x + y == 0)
        return;
    float value = 1.5F;
    struct descriptor of = described(memory, 0, 3, 2);
    if (x == 1)
        belay_program_print(0, KERNEL_FP32, (const struct descriptor *)(const void *)&value, " v: ", false,
                            "");
    else if (y == 0)
        belay_program_print(1, KERNEL_INT32, &of, " m: ", x == 2 && memory[1] == 1, "");
}

/* What a run prints, in a buffer. */
static void printed(char *text, size_t bytes)
{
    struct host_kernel_fault fault;
    char name[] = "/tmp/belay-kernel-print-XXXXXX";
    const int file = mkstemp(name), kept = dup(STDOUT_FILENO);
    assert_true(file >= 0 && kept >= 0);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    assert_true(run(prints, &fault));
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    const ssize_t got = pread(file, text, bytes - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    close(kept);
    close(file);
    unlink(name);
}

static void values_are_printed(void **state)
{
    (void)state;
    char text[400];
    for (int32_t i = 0; i < COUNT; i++)
        memory[i] = i;
    unsetenv("TRITON_DEVICE_PRINT");
    printed(text, sizeof text);
    assert_string_equal(text, "pid (1, 0, 0) v: 1.5\n"
                              "pid (2, 0, 0) m: [0x00000000, 0x00000002, 0x00000004]\n"
                              "pid (1, 1, 0) v: 1.5\n");
    memory[1] = 0;
    printed(text, sizeof text);
    assert_non_null(strstr(text, "m: [0, 2, 4]\n"));
    setenv("TRITON_DEVICE_PRINT", "0", 1);
    printed(text, sizeof text);
    assert_string_equal(text, "");
}

enum { LARGE = 9 << 20, COPIED = 5001 };
static unsigned char large[LARGE];

static void copies_to_a_large_tensor(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)y;
    (void)z;
    unsigned char *own = belay_kernel_allocate(COPIED);
    struct descriptor from = described(own, 0, COPIED, 1),
                      to = described(large, 3 + x * (COPIED + 1), COPIED, 1),
                      last = described(large, LARGE - COPIED, COPIED, 1);
    struct memref source = {1, &from}, target = {1, &to}, read = {1, &last};
    own[0] = 1;
    memrefCopy(1, &read, &source); /* what is behind is asked for: nothing of the tensor is there */
    for (int32_t i = 0; i < COPIED; i++) {
        assert_int_equal(own[i], i % 7);
        own[i] = (unsigned char)(i % 251 + x);
    }
    memrefCopy(1, &source, &target);
}

static void large_tensors_are_written_past_the_caches(void **state)
{
    (void)state;
    const struct host_kernel_memory known = {.base = large, .first = large, .behind = large + LARGE};
    const struct host_kernel_launch launch = {
        .program = copies_to_a_large_tensor, .grid = {3, 1, 1}, .memory_count = 1, .memory = &known};
    struct host_kernel_fault fault;
    for (int32_t i = 0; i < COPIED; i++)
        large[LARGE - COPIED + i] = (unsigned char)(i % 7);
    assert_true(belay_program_run(&launch, 0, 3, &fault));
    for (int32_t i = 0; i < 3 * (COPIED + 1) + 100; i++) {
        const int32_t x = (i - 3) / (COPIED + 1), place = (i - 3) % (COPIED + 1);
        const bool is_copied = i >= 3 && x < 3 && place < COPIED;
        assert_int_equal(large[i], is_copied ? (unsigned char)(place % 251 + x) : 0);
    }
}

static char raced[HOST_KERNEL_FAULT_BYTES];
static uint32_t race_count;

static void keep_race(const struct host_kernel_launch *launch, const char *sentence)
{
    assert_int_equal(launch->memory_count, 1);
    snprintf(raced, sizeof raced, "%s", sentence);
    race_count++;
}

/* The first race of a grid of 3 programs, "" where there is none. */
static void races_are(host_kernel_program *program, const char *sentence)
{
    const struct host_kernel_memory known = {.base = (const unsigned char *)memory,
                                             .first = (const unsigned char *)memory,
                                             .behind = (const unsigned char *)(memory + COUNT),
                                             .pointer = 2};
    const struct host_kernel_launch launch = {
        .program = program, .grid = {3, 1, 1}, .memory_count = 1, .memory = &known, .race = keep_race};
    struct host_kernel_fault fault;
    race_count = 0;
    raced[0] = '\0';
    assert_true(belay_program_run(&launch, 0, 3, &fault));
    assert_string_equal(raced, sentence);
    assert_int_equal(race_count, *sentence != '\0');
}

static void follows(int32_t offset, int32_t size, int32_t stride, int32_t is_store)
{
    const struct descriptor view = described(memory, offset, size, stride);
    if (belay_program_check(memory, at(memory, 4 * offset), 4, is_store, 4, ""))
        belay_program_follow(1, 4, is_store, &view, "r.py:9");
}

static void keeps_apart(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)y;
    (void)z;
    follows(x, 2, 3, 0); /* 0 and 3, 1 and 4, 2 and 5: side by side, and nobody's but its own */
    follows(x, 2, 3, 1);
    follows(x, 2, 3, 1);
}

static void stores_all_to_one(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)y;
    (void)z;
    follows(4 - x, 2, 1, 1);
}

static void loads_the_next(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)y;
    (void)z;
    follows(x + 1, 1, 1, 0);
    follows(x, 1, 1, 1);
}

static void all_load_one(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)y;
    (void)z;
    follows(0, 2, 1, 0);
    if (x == 2)
        follows(1, 1, 1, 1);
}

static void loads_what_is_stored(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)y;
    (void)z;
    follows(x == 1 ? 3 : x, 1, 1, x == 0 || x == 2);
    if (x == 2)
        follows(0, 1, 1, 0);
}

static void stores_by_masks(const void *arguments, int32_t x, int32_t y, int32_t z)
{
    (void)arguments;
    (void)y;
    (void)z;
    int8_t chosen[3] = {x == 0, x == 1, x == 2 || memory[5] == 1};
    int32_t value[3] = {0, 0, 0};
    const struct descriptor masks = described(chosen, 0, 3, 1), values = described(value, 0, 3, 1),
                            view = described(memory, 0, 3, 1);
    belay_program_store_where(1, 4, &masks, &values, &view, "m.py:2");
}

static void programs_that_use_the_same_bytes_are_told(void **state)
{
    (void)state;
    memory[5] = 0;
    races_are(keeps_apart, "");
    races_are(stores_by_masks, "");
    races_are(stores_all_to_one,
              "program (1, 0, 0) at r.py:9 stores byte 16 of pointer 2, which program (0, 0, 0) "
              "has stored, and nothing orders the two");
    races_are(loads_the_next,
              "program (1, 0, 0) at r.py:9 stores byte 4 of pointer 2, which program (0, 0, 0) "
              "has loaded, and nothing orders the two");
    races_are(all_load_one,
              "program (2, 0, 0) at r.py:9 stores byte 4 of pointer 2, which several others have "
              "loaded, and nothing orders the two");
    races_are(loads_what_is_stored,
              "program (2, 0, 0) at r.py:9 loads byte 0 of pointer 2, which program (0, 0, 0) "
              "has stored, and nothing orders the two");
    memory[5] = 1;
    races_are(stores_by_masks,
              "program (1, 0, 0) at m.py:2 stores byte 8 of pointer 2, which program (0, 0, 0) "
              "has stored, and nothing orders the two");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_are_compared_with_the_tensor),
        cmocka_unit_test(addresses_that_are_found_have_bounds),
        cmocka_unit_test(what_is_outside_reads_as_zeros),
        cmocka_unit_test(masks_say_what_is_stored),
        cmocka_unit_test(assertions_stop_a_program),
        cmocka_unit_test(values_are_printed),
        cmocka_unit_test(large_tensors_are_written_past_the_caches),
        cmocka_unit_test(programs_that_use_the_same_bytes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
