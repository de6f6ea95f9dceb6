/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Launches of kernels whose blocks are fibres: their order with other work of the stream, waits, faults, graphs. The
 * kernels here are functions in C, as bisheng's are below their C++.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "ascendc/host.h"

enum { BLOCKS = 24, NUMBERS = 1 << 12 };

struct arguments {
    int64_t *numbers;
    int64_t value;
};

static aclrtStream stream;
static int64_t *device;

static int setup(void **state)
{
    (void)state;
    return aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
           aclrtMalloc((void **)&device, NUMBERS * sizeof *device, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
}

static int teardown(void **state)
{
    (void)state;
    return aclrtFree(device) != 0 || aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0 ||
           aclFinalize() != 0;
}

/* The first of the arguments is a pointer. */
static int launch_as(const char *name, void (*function)(void *), int64_t value, uint32_t blocks,
                     uint32_t kind)
{
    const struct arguments arguments = {device, value};
    return belay_kernel_launch(stream, name, function, &arguments, sizeof arguments, 1, blocks, kind);
}

static int launch(const char *name, void (*function)(void *), int64_t value, uint32_t blocks)
{
    return launch_as(name, function, value, blocks, BELAY_KERNEL_AUTO);
}

static void fetch(int64_t *numbers)
{
    assert_int_equal(aclrtMemcpy(numbers, NUMBERS * sizeof *numbers, device, NUMBERS * sizeof *device,
                                 ACL_MEMCPY_DEVICE_TO_HOST),
                     0);
}

/* Where the order of blocks is drawn, what follows from it cannot be tested. */
static void skip_where_drawn(void)
{
    const char *schedule = getenv("BELAY_SCHEDULE");
    if (schedule != NULL && strncmp(schedule, "random", 6) == 0)
        skip();
}

/* The next wait fails with 507015, and these parts of a sentence. */
static void assert_fault(const char *first, const char *second)
{
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
    const char *message = aclGetRecentErrMsg();
    if (strstr(message, first) == NULL || strstr(message, second) == NULL)
        fail_msg("%s has not both %s and %s", message, first, second);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

static void add_value(void *arguments)
{
    const struct arguments *given = arguments;
    const struct belay_kernel_block *block = belay_kernel_block();
    for (uint32_t i = block->index; i < NUMBERS; i += block->count)
        given->numbers[i] += given->value;
}

static void a_kernel_comes_between_the_copies_around_it(void **state)
{
    (void)state;
    int64_t from[NUMBERS], to[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        from[i] = i;
    const size_t bytes = sizeof from;
    assert_int_equal(aclrtMemcpyAsync(device, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream), 0);
    for (int64_t i = 1; i <= 3; i++)
        assert_int_equal(launch("add_value", add_value, i, BLOCKS), 0);
    assert_int_equal(aclrtMemcpyAsync(to, bytes, device, bytes, ACL_MEMCPY_DEVICE_TO_HOST, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    for (int i = 0; i < NUMBERS; i++)
        assert_int_equal(to[i], i + 6);
    assert_null(belay_kernel_block());
}

/* Each block writes, all meet, each reads what another one has written; three times. */
static void pass_on(void *arguments)
{
    const struct arguments *given = arguments;
    const struct belay_kernel_block *block = belay_kernel_block();
    int64_t *room = given->numbers;
    for (int round = 0; round < 3; round++) {
        room[block->index] = round == 0 ? block->index : room[BLOCKS + block->index];
        belay_kernel_sync_all();
        room[BLOCKS + block->index] = room[(block->index + 1) % block->count];
        belay_kernel_sync_all();
    }
}

static void blocks_meet_as_often_as_they_like(void **state)
{
    (void)state;
    int64_t to[NUMBERS];
    assert_int_equal(launch("pass_on", pass_on, 0, BLOCKS), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    fetch(to);
    for (int i = 0; i < BLOCKS; i++)
        assert_int_equal(to[BLOCKS + i], (i + 3) % BLOCKS);
}

static void append_number(void *arguments)
{
    const struct arguments *given = arguments;
    belay_kernel_order();
    given->numbers[1 + given->numbers[0]++] = belay_kernel_block()->index;
}

static void what_has_an_order_comes_in_that_of_the_blocks(void **state)
{
    (void)state;
    skip_where_drawn();
    const int64_t none = 0;
    int64_t to[NUMBERS];
    for (int time = 0; time < 20; time++) {
        assert_int_equal(aclrtMemcpy(device, sizeof none, &none, sizeof none, ACL_MEMCPY_HOST_TO_DEVICE), 0);
        assert_int_equal(launch("append_number", append_number, 0, 300), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        fetch(to);
        for (int i = 0; i < 300; i++)
            assert_int_equal(to[1 + i], i);
    }
}

static int has_come(void *of)
{
    const int64_t *const *place = of;
    return *place[0] >= *place[1];
}

/* The last block begins; each wakes the one before it. */
static void count_down(void *arguments)
{
    const struct arguments *given = arguments;
    const int64_t missing = belay_kernel_block()->count - belay_kernel_block()->index;
    const int64_t *of[2] = {given->numbers, &missing};
    belay_kernel_wait(has_come, of, "the block behind it");
    given->numbers[missing] = belay_kernel_block()->index;
    given->numbers[0]++;
}

static void blocks_wait_for_what_others_write(void **state)
{
    (void)state;
    const int64_t first = 1;
    int64_t to[NUMBERS];
    assert_int_equal(aclrtMemcpy(device, sizeof first, &first, sizeof first, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    assert_int_equal(launch("count_down", count_down, 0, BLOCKS), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    fetch(to);
    for (int i = 0; i < BLOCKS; i++)
        assert_int_equal(to[1 + i], BLOCKS - 1 - i);
}

/* The last block stops those that spin. */
static void spin(void *arguments)
{
    const struct arguments *given = arguments;
    int64_t *word = given->numbers;
    if (belay_kernel_block()->index == BLOCKS - 1)
        __atomic_store_n(word, -1, __ATOMIC_RELAXED);
    while (__atomic_load_n(word, __ATOMIC_RELAXED) != -1)
        belay_kernel_yield();
}

static void a_loop_that_yields_sees_what_others_write(void **state)
{
    (void)state;
    const int64_t none = 0;
    assert_int_equal(aclrtMemcpy(device, sizeof none, &none, sizeof none, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    assert_int_equal(launch("spin", spin, 0, BLOCKS), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

static void leave_one_out(void *arguments)
{
    (void)arguments;
    if (belay_kernel_block()->index != 2)
        belay_kernel_sync_all();
}

static int never(void *of)
{
    (void)of;
    return 0;
}

static void wait_for_nothing(void *arguments)
{
    (void)arguments;
    belay_kernel_wait(never, NULL, "flag 3 of its cube core");
}

static void who_waits_for_ever_is_named(void **state)
{
    (void)state;
    assert_int_equal(launch("leave_one_out", leave_one_out, 0, 4), 0);
    assert_fault("leave_one_out: no block can go on: block 0 waits for all blocks in SyncAll, block 1 waits",
                 "1 of 4 have ended");
    assert_int_equal(launch("wait_for_nothing", wait_for_nothing, 0, 9), 0);
    assert_fault("wait_for_nothing: no block can go on: block 0 waits for flag 3 of its cube core",
                 "and 6 more wait");
}

static void fault_in_some(void *arguments)
{
    const struct arguments *given = arguments;
    const struct belay_kernel_block *block = belay_kernel_block();
    if (given->value != 0)
        belay_kernel_order();
    for (volatile int i = 0; i < 1000000 && block->index == 3;
         i++) /* the first one is the last one to know */
        continue;
    if (block->index % 5 == 3)
        belay_kernel_fault("/home/who/kernels/add.asc", 42,
                           "DataCopy of %d bytes; whole blocks of 32 are expected", 20);
    given->numbers[block->index] = 77;
}

static void the_first_block_that_faults_is_told_with_its_line(void **state)
{
    (void)state;
    skip_where_drawn();
    int64_t to[NUMBERS];
    for (int time = 0; time < 20; time++)
        for (int64_t in_order = 0; in_order < 2; in_order++) {
            assert_int_equal(launch("fault_in_some", fault_in_some, in_order, BLOCKS), 0);
            assert_fault("fault_in_some: block 3, add.asc:42: DataCopy of 20 bytes;", "whole blocks");
        }
    /* The stream works on, and so do fibres that a fault was on. */
    assert_int_equal(aclrtMemset(device, NUMBERS * sizeof *device, 0, NUMBERS * sizeof *device), 0);
    assert_int_equal(launch("add_value", add_value, 5, BLOCKS), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    fetch(to);
    for (int i = 0; i < NUMBERS; i++)
        assert_int_equal(to[i], 5);
}

static void launches_that_cannot_be_fail_in_the_call_and_the_stream(void **state)
{
    (void)state;
    assert_int_equal(launch("nobody", add_value, 0, 0), ACL_ERROR_RT_PARAM_INVALID);
    assert_non_null(strstr(aclGetRecentErrMsg(), "nobody: launched with 0 blocks; 1 to 65535 are expected"));
    assert_int_not_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(launch("crowd", add_value, 0, 65536), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_not_equal(aclrtSynchronizeStream(stream), 0);

    assert_int_equal(belay_kernel_launch(stream, "empty", NULL, NULL, 0, 0, 1, 0),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_non_null(strstr(aclGetRecentErrMsg(), "empty: launched with a function that is NULL"));
    assert_int_not_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(belay_kernel_launch(stream, NULL, add_value, NULL, 8, 0, 1, 0),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_non_null(
        strstr(aclGetRecentErrMsg(), "a kernel without a name: launched with arguments that are NULL"));
    assert_int_not_equal(aclrtSynchronizeStream(stream), 0);

    void *gone;
    assert_int_equal(aclrtMalloc(&gone, 4096, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtFree(gone), 0);
    struct arguments arguments = {gone, 0};
    assert_int_equal(belay_kernel_launch(stream, "late", add_value, &arguments, sizeof arguments, 1, 1, 0),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_non_null(strstr(aclGetRecentErrMsg(), "late: a pointer among the arguments"));
    assert_int_not_equal(aclrtSynchronizeStream(stream), 0);
    assert_non_null(strstr(aclGetRecentErrMsg(), "late: "));
    /* A number that looks like it is none. */
    assert_int_equal(
        belay_kernel_launch(stream, "number", leave_one_out, &arguments, sizeof arguments, 0, 1, 0), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);

    aclrtStream other;
    assert_int_equal(aclrtCreateStream(&other), 0);
    assert_int_equal(aclrtDestroyStream(other), 0);
    assert_int_equal(belay_kernel_launch(other, "lost", add_value, NULL, 0, 0, 1, 0),
                     ACL_ERROR_RT_INVALID_HANDLE);
}

/* More arguments than a task has room for. */
struct large {
    int64_t *numbers;
    int64_t value[400];
};

static void copy_large(void *arguments)
{
    const struct large *given = arguments;
    memcpy(given->numbers, given->value, sizeof given->value);
}

static void arguments_are_taken_when_a_kernel_is_launched(void **state)
{
    (void)state;
    static struct large arguments;
    int64_t to[NUMBERS];
    arguments.numbers = device;
    for (int i = 0; i < 400; i++)
        arguments.value[i] = 3 * i;
    assert_int_equal(
        belay_kernel_launch(stream, "copy_large", copy_large, &arguments, sizeof arguments, 1, 1, 0), 0);
    memset(&arguments, 0, sizeof arguments);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    fetch(to);
    for (int i = 0; i < 400; i++)
        assert_int_equal(to[i], 3 * i);
}

static void a_graph_runs_kernels_again(void **state)
{
    (void)state;
    aclmdlRI graph;
    int64_t to[NUMBERS];
    assert_int_equal(aclrtMemset(device, NUMBERS * sizeof *device, 0, NUMBERS * sizeof *device), 0);
    assert_int_equal(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
    assert_int_equal(launch("add_value", add_value, 2, BLOCKS), 0);
    assert_int_equal(launch("add_value", add_value, 1, 1), 0);
    assert_int_equal(aclmdlRICaptureEnd(stream, &graph), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(aclmdlRIExecuteAsync(graph, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    fetch(to);
    for (int i = 0; i < NUMBERS; i++)
        assert_int_equal(to[i], 12);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

/* Deeper than any stack, by calls of the library; cmocka has the signal by which the others end. */
static __attribute__((noinline)) int64_t descend(volatile int64_t *above, bool prints)
{
    volatile int64_t here[8] = {*above + 1};
    if (prints)
        belay_kernel_print("%s", "");
    else
        belay_kernel_order();
    return here[0] < INT64_MAX ? descend(here, prints) + here[0] : 0;
}

static void never_return(void *arguments)
{
    const struct arguments *given = arguments;
    int64_t none = 0;
    if (belay_kernel_block()->index >= 2)
        given->numbers[0] = descend(&none, given->value == 1);
}

static void a_kernel_that_calls_without_an_end_faults(void **state)
{
    (void)state;
    skip_where_drawn();
    int64_t to[NUMBERS];
    for (int time = 0; time < 5; time++) {
        assert_int_equal(launch("never_return", never_return, time % 2, 5), 0);
        assert_fault("never_return: block 2: the stack of 512 KiB is used up in ",
                     "addr2line -e test_kernel_blocks 0x");
        assert_int_equal(aclrtMemset(device, NUMBERS * sizeof *device, 0, NUMBERS * sizeof *device), 0);
        assert_int_equal(launch("add_value", add_value, 3, BLOCKS), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        fetch(to);
        assert_int_equal(to[NUMBERS - 1], 3);
    }
}

/* Where each core of a mixed kernel writes: its index, sort and sub-index. */
static void sign(void *arguments)
{
    const struct arguments *given = arguments;
    belay_kernel_become((uint32_t)given->value);
    const struct belay_kernel_block *block = belay_kernel_block();
    belay_kernel_order();
    int64_t *next = given->numbers + 1 + given->numbers[0]++;
    *next = (int64_t)block->index * 100 + block->core * 10 + block->sub_index + block->sub_count * 1000;
    /* What vector cores write when they have met one another, cube cores see when all have met. */
    if (block->core == BELAY_CORE_VECTOR) {
        belay_kernel_sync_sort();
        given->numbers[NUMBERS - 1] = 1;
    }
    belay_kernel_sync_all();
    if (block->kind >= BELAY_KERNEL_MIXED_1_1 && given->numbers[NUMBERS - 1] != 1)
        belay_kernel_fault(NULL, 0, "all have not met");
}

static void assert_signed(uint32_t kind, bool becomes, const int64_t *expected, int count)
{
    int64_t to[NUMBERS];
    assert_int_equal(aclrtMemset(device, NUMBERS * sizeof *device, 0, NUMBERS * sizeof *device), 0);
    assert_int_equal(launch_as("sign", sign, becomes ? kind : 0, 2, becomes ? BELAY_KERNEL_AUTO : kind), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    fetch(to);
    assert_int_equal(to[0], count);
    for (int i = 0; i < count; i++)
        assert_int_equal(to[1 + i], expected[i]);
}

static void blocks_have_the_cores_of_their_kind(void **state)
{
    (void)state;
    skip_where_drawn();
    static const int64_t vectors[] = {1000, 1100}, cubes[] = {1010, 1110}, pairs[] = {1010, 1000, 1110, 1100},
                         triples[] = {2010, 2000, 2001, 2110, 2100, 2101};
    for (int becomes = 0; becomes < 2; becomes++) {
        assert_signed(BELAY_KERNEL_VECTOR, becomes, vectors, 2);
        assert_signed(BELAY_KERNEL_CUBE, becomes, cubes, 2);
        assert_signed(BELAY_KERNEL_MIXED_1_1, becomes, pairs, 4);
        assert_signed(BELAY_KERNEL_MIXED_1_2, becomes, triples, 6);
    }
}

static int ends;

static void count_end(void *chip)
{
    ends += *(int *)chip;
}

/* What a core leaves on its chip is there for the next one, and memory of the launch begins with zeros. */
static void use_memory(void *arguments)
{
    const struct arguments *given = arguments;
    int *chip = belay_kernel_chip((uint64_t)given->value, 8192);
    int *shared = belay_kernel_shared(256);
    if ((uintptr_t)chip % 4096 != 0 || chip != belay_kernel_block()->chip ||
        chip != belay_kernel_chip((uint64_t)given->value, 8192) ||
        *shared != (int)belay_kernel_block()->index || (chip[1] != 0 && chip[1] != (int)given->value + 1))
        belay_kernel_fault(NULL, 0, "the chip or the shared memory is not what it should be: %d", *shared);
    ++*shared;
    *chip = 1;
    chip[1] = (int)given->value + 1;
    belay_kernel_at_end(count_end);
}

static void cores_have_memory_of_their_own_and_in_common(void **state)
{
    (void)state;
    skip_where_drawn();
    ends = 0;
    for (int64_t layout = 0; layout < 3; layout++)
        assert_int_equal(launch("use_memory", use_memory, layout, BLOCKS), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(ends, 3 * BLOCKS);
}

static void look_at_extents(void *arguments)
{
    const struct arguments *given = arguments;
    uint64_t before = 9, after = 9;
    int here = 0;
    if (!belay_kernel_extent(given->numbers + 1, &before, &after) || before != 8 ||
        after != (NUMBERS - 1) * sizeof(int64_t) || belay_kernel_extent(&here, &before, &after) ||
        belay_kernel_reach(given->numbers) != (void *)given->numbers)
        belay_kernel_fault(NULL, 0, "the extent is %llu and %llu", (unsigned long long)before,
                           (unsigned long long)after);
}

static void kernels_know_how_far_their_memory_goes(void **state)
{
    (void)state;
    assert_int_equal(launch("look_at_extents", look_at_extents, 0, 3), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

static void print_lines(void *arguments)
{
    (void)arguments;
    belay_kernel_print("first %d\nsecond ", 1);
    belay_kernel_print("and %s\n", "third");
}

static void what_kernels_print_has_their_blocks(void **state)
{
    (void)state;
    skip_where_drawn();
    static const char expected[] = "[block 0] first 1\n[block 0] second and third\n"
                                   "[block 1] first 1\n[block 1] second and third\n";
    char path[] = "/tmp/belay-blocks-XXXXXX", text[256] = "";
    const int file = mkstemp(path), kept = dup(STDOUT_FILENO);
    assert_true(file >= 0 && kept >= 0);
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    const int status = launch("print_lines", print_lines, 0, 2), waited = aclrtSynchronizeStream(stream);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    assert_int_equal(status, 0);
    assert_int_equal(waited, 0);
    assert_true(pread(file, text, sizeof text - 1, 0) > 0);
    assert_string_equal(text, expected);
    close(file);
    close(kept);
    unlink(path);
}

static void see_key(void *arguments)
{
    const struct arguments *given = arguments;
    given->numbers[0] = (int64_t)belay_kernel_block()->tiling_key;
}

static void kernels_run_without_a_stream(void **state)
{
    (void)state;
    int64_t *numbers = belay_kernel_memory(NUMBERS * sizeof *numbers);
    uint64_t before, after;
    assert_non_null(numbers);
    assert_int_equal((uintptr_t)numbers % 512, 0);
    assert_true(belay_kernel_extent(numbers + 4, &before, &after));
    assert_int_equal(before, 32);
    assert_int_equal(after, (NUMBERS - 4) * sizeof *numbers);
    const struct arguments arguments = {numbers, 9};
    assert_int_equal(belay_kernel_run("add_value", add_value, &arguments, sizeof arguments, BLOCKS, 0), 0);
    for (int i = 0; i < NUMBERS; i++)
        assert_int_equal(numbers[i], 9);
    belay_kernel_set_tiling_key(31);
    assert_int_equal(belay_kernel_run("see_key", see_key, &arguments, sizeof arguments, 1, 0), 0);
    assert_int_equal(numbers[0], 31);
    assert_int_equal(belay_kernel_run("see_key", see_key, &arguments, sizeof arguments, 1, 0), 0);
    assert_int_equal(numbers[0], 0);
    assert_int_equal(belay_kernel_run("leave_one_out", leave_one_out, NULL, 0, 3, 0),
                     ACL_ERROR_RT_AICORE_EXCEPTION);
    belay_kernel_memory_free(numbers);
    assert_false(belay_kernel_extent(numbers + 4, &before, &after));
    belay_kernel_memory_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_comes_between_the_copies_around_it),
        cmocka_unit_test(blocks_meet_as_often_as_they_like),
        cmocka_unit_test(what_has_an_order_comes_in_that_of_the_blocks),
        cmocka_unit_test(blocks_wait_for_what_others_write),
        cmocka_unit_test(a_loop_that_yields_sees_what_others_write),
        cmocka_unit_test(who_waits_for_ever_is_named),
        cmocka_unit_test(the_first_block_that_faults_is_told_with_its_line),
        cmocka_unit_test(launches_that_cannot_be_fail_in_the_call_and_the_stream),
        cmocka_unit_test(arguments_are_taken_when_a_kernel_is_launched),
        cmocka_unit_test(a_graph_runs_kernels_again),
        cmocka_unit_test(a_kernel_that_calls_without_an_end_faults),
        cmocka_unit_test(blocks_have_the_cores_of_their_kind),
        cmocka_unit_test(cores_have_memory_of_their_own_and_in_common),
        cmocka_unit_test(kernels_know_how_far_their_memory_goes),
        cmocka_unit_test(what_kernels_print_has_their_blocks),
        cmocka_unit_test(kernels_run_without_a_stream),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
