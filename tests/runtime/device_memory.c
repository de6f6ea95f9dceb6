/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The allocator: the memory of a device as a limit, what the system cannot back, device reset, large blocks,
 * and limits of the process. Every test uses the library in a process of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "runtime/memory/device_memory.h"
#include "runtime/addresses/memory.h"
#include "support/blocked_stream.h"
#include "support/child.h"
#include "support/failure.h"
#include "support/memory_pressure.h"
#include "support/sanitizer.h"

static const size_t MIB = (size_t)1 << 20;

static aclError allocate(void *address, size_t bytes)
{
    return aclrtMalloc((void **)address, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
}

/* In memory, or else of addresses. */
static uint64_t bytes_of_process(bool in_memory)
{
    unsigned long long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%llu %llu", &total, &resident) != 2)
        total = resident = 0;
    fclose(file);
    return (uint64_t)(in_memory ? resident : total) * 4096;
}

static uint64_t resident_bytes(void)
{
    return bytes_of_process(true);
}

static int limit(void)
{
    unsigned char *first, *second, *third;
    size_t free_bytes, total;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    CHILD_CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total) == 0);
    CHILD_CHECK(free_bytes == 64 * MIB && total == 64 * MIB);
    CHILD_CHECK(allocate(&first, 65 * MIB) == 207001);
    CHILD_CHECK(strstr(aclGetRecentErrMsg(), "BELAY_MEMORY") != NULL);
    CHILD_CHECK(allocate(&first, 64 * MIB - 32) == 0);
    CHILD_CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total) == 0);
    CHILD_CHECK(free_bytes == 0 && total == 64 * MIB);
    CHILD_CHECK(allocate(&second, 1) == 207001);
    CHILD_CHECK(aclrtFree(first) == 0);
    CHILD_CHECK(allocate(&first, 40 * MIB) == 0);
    CHILD_CHECK(allocate(&second, 30 * MIB) == 207001);
    CHILD_CHECK(allocate(&second, 20 * MIB) == 0);
    CHILD_CHECK(allocate(&third, 1) == 0);

    /* Each device has that much of its own, and pinned memory is not of a device. */
    CHILD_CHECK(aclrtMallocHost((void **)&third, 80 * MIB) == 0);
    CHILD_CHECK(aclrtFreeHost(third) == 0);
    CHILD_CHECK(aclrtSetDevice(1) == 0);
    CHILD_CHECK(allocate(&third, 60 * MIB) == 0);
    CHILD_CHECK(aclrtFree(third) == 0);
    CHILD_CHECK(aclrtFree(second) == 0);
    CHILD_CHECK(aclrtFree(first) == 0);
    return 0;
}

static void a_device_has_as_much_memory_as_its_setting_says(void **state)
{
    (void)state;
    setenv("BELAY_DEVICES", "2", 1);
    assert_int_equal(run_in_child("BELAY_MEMORY", "64M", limit), 0);
    unsetenv("BELAY_DEVICES");
}

static int reset(void)
{
    void *blocks[40], *other, *pinned;
    struct memory_block found;
    uint64_t before = resident_bytes();
    CHILD_CHECK(aclrtSetDevice(1) == 0 && allocate(&other, 5000) == 0);
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtMallocHost(&pinned, 5000) == 0);
    for (size_t i = 0; i < 40; i++) {
        CHILD_CHECK(allocate(&blocks[i], (size_t)1 << (i % 24)) == 0);
        memset(blocks[i], 1, (size_t)1 << (i % 24));
    }
    CHILD_CHECK(aclrtFree(blocks[7]) == 0 && aclrtFree(blocks[22]) == 0);
    CHILD_CHECK(aclrtResetDevice(0) == 0);
    for (size_t i = 0; i < 40; i++) {
        CHILD_CHECK(!memory_find(blocks[i], &found));
        CHILD_CHECK(aclrtFree(blocks[i]) == 107000);
        CHILD_CHECK(strstr(aclGetRecentErrMsg(), i == 7 || i == 22 ? "already freed" : "reset of device 0"));
    }
    CHILD_CHECK(memory_find(other, &found) && found.device == 1);
    CHILD_CHECK(memory_find(pinned, &found) && found.place == MEMORY_PINNED_HOST);
    CHILD_CHECK(UNDER_SANITIZER || resident_bytes() < before + 8 * MIB);

    /* The device works again, with all of its memory. */
    size_t free_bytes, total;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    CHILD_CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total) == 0 && free_bytes == total);
    CHILD_CHECK(allocate(&blocks[0], 5000) == 0 && aclrtFree(blocks[0]) == 0);
    CHILD_CHECK(aclrtFree(other) == 0 && aclrtFreeHost(pinned) == 0);
    return 0;
}

static void a_reset_frees_the_memory_of_its_device_and_no_other(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_DEVICES", "2", reset), 0);
}

static int large(void)
{
    unsigned char *block;
    struct memory_block found;
    size_t bytes = (size_t)1 << 30;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && allocate(&block, bytes) == 0);
    block[0] = 1;
    block[bytes + 31] = 2;
    CHILD_CHECK(memory_find(block + bytes / 2 + 12345, &found) && found.bytes == bytes);
    CHILD_CHECK(memory_find(block + bytes - 1, &found) && !memory_find(block + bytes, &found));
    for (size_t i = 0; i < 100; i++)
        memset(block + i * MIB, 7, MIB);
    CHILD_CHECK(UNDER_SANITIZER || resident_bytes() > 100 * MIB);
    CHILD_CHECK(aclrtFree(block) == 0 && aclrtResetDevice(0) == 0);
    CHILD_CHECK(UNDER_SANITIZER || resident_bytes() < 60 * MIB);
    return 0;
}

static void a_gigabyte_costs_nothing_until_it_is_touched_and_goes_back(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_MEMORY", "2G", large), 0);
}

static int pressure(void)
{
    /* Blocks of one size are kept for reuse until another size would exceed the memory of the device. */
    unsigned char *blocks[4];
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    for (size_t i = 0; i < 4; i++) {
        CHILD_CHECK(allocate(&blocks[i], 60 * MIB) == 0);
        memset(blocks[i], 1, 60 * MIB);
    }
    for (size_t i = 0; i < 4; i++)
        CHILD_CHECK(aclrtFree(blocks[i]) == 0);
    CHILD_CHECK(UNDER_SANITIZER || resident_bytes() > 240 * MIB);
    CHILD_CHECK(allocate(&blocks[0], 100 * MIB) == 0);
    CHILD_CHECK(UNDER_SANITIZER || resident_bytes() < 40 * MIB);
    CHILD_CHECK(aclrtFree(blocks[0]) == 0);
    return 0;
}

static void kept_memory_goes_back_when_the_device_would_exceed_its_memory(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_MEMORY", "256M", pressure), 0);
}

enum { SMALL_BLOCKS = 6000 };
static void *small_block[SMALL_BLOCKS];

/* Fills the memory of the program with pinned blocks, of which number 77 stays. */
static int use_small_blocks(uint64_t before)
{
    for (size_t i = 0; i < SMALL_BLOCKS; i++) {
        CHILD_CHECK(aclrtMallocHost(&small_block[i], 10000) == 0);
        memset(small_block[i], (int)i, 10000);
    }
    CHILD_CHECK(UNDER_SANITIZER || resident_bytes() > before + 55 * MIB);
    for (size_t i = 0; i < SMALL_BLOCKS; i++) {
        if (i != 77)
            CHILD_CHECK(aclrtFreeHost(small_block[i]) == 0);
    }
    CHILD_CHECK(UNDER_SANITIZER || resident_bytes() > before + 55 * MIB);
    return 0;
}

static int lose_small_blocks(uint64_t before)
{
    const unsigned char *left = (const unsigned char *)small_block[77];
    CHILD_CHECK(UNDER_SANITIZER || resident_bytes() < before + 8 * MIB);
    CHILD_CHECK(left[0] == 77 && left[9999] == 77 && aclrtFreeHost(small_block[77]) == 0);
    return 0;
}

static int small_blocks(void)
{
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    uint64_t before = resident_bytes();
    CHILD_CHECK(use_small_blocks(before) == 0);
    CHILD_CHECK(aclrtResetDevice(0) == 0 && aclrtSetDevice(0) == 0);
    CHILD_CHECK(lose_small_blocks(before) == 0);
    CHILD_CHECK(use_small_blocks(before) == 0);
    CHILD_CHECK(is_more_refused());
    CHILD_CHECK(lose_small_blocks(before) == 0);
    return 0;
}

static void what_is_kept_goes_back_at_a_reset_and_under_pressure_without_blocks_that_live(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_MEMORY", "256M", small_blocks), 0);
}

static int beyond_the_system(void)
{
    void *block, *blocks[64];
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    CHILD_CHECK(allocate(&block, (size_t)1 << 43) == 207001);
    CHILD_CHECK(strstr(aclGetRecentErrMsg(), "the system") != NULL);
    CHILD_CHECK(allocate(&block, (size_t)1 << 46) == 207001);
    CHILD_CHECK(aclrtMallocHost(&block, (size_t)1 << 46) == 207001);

    /* What was promised counts, although nothing of it was touched. */
    size_t count = 0;
    while (count < 64 && allocate(&blocks[count], (size_t)16 << 30) == 0)
        count++;
    CHILD_CHECK(count < 64 && strstr(aclGetRecentErrMsg(), "the system") != NULL);
    while (count > 0)
        CHILD_CHECK(aclrtFree(blocks[--count]) == 0);
    CHILD_CHECK(allocate(&block, 1000) == 0 && aclrtFree(block) == 0);
    return 0;
}

static void a_request_that_the_system_cannot_back_is_refused(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_MEMORY", "100T", beyond_the_system), 0);
}

/* With little address space blocks are mapped one by one, and all rules hold for them too. */
static int little_address_space(void)
{
    struct rlimit few = {.rlim_cur = 400 * MIB, .rlim_max = 400 * MIB};
    CHILD_CHECK(setrlimit(RLIMIT_AS, &few) == 0);
    unsigned char *blocks[200];
    struct memory_block found;
    size_t count = 0;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    while (count < 200 && allocate(&blocks[count], 7 * MIB) == 0) {
        CHILD_CHECK((uintptr_t)blocks[count] % 512 == 0);
        memset(blocks[count], (int)count, 100);
        memset(blocks[count] + 7 * MIB, (int)count, 32);
        count++;
    }
    CHILD_CHECK(count > 25 && count < 60); /* not the quarter that the reservation is given */
    CHILD_CHECK(aclGetRecentErrMsg() != NULL);
    for (size_t i = 0; i < count; i++) {
        CHILD_CHECK(blocks[i][99] == i && blocks[i][7 * MIB + 31] == i);
        CHILD_CHECK(memory_find(blocks[i] + 7 * MIB - 1, &found) && found.base == (uintptr_t)blocks[i]);
        CHILD_CHECK(memory_is_reserved(blocks[i]) && !memory_find(blocks[i] + 7 * MIB, &found));
        CHILD_CHECK(aclrtFree(blocks[i] + 512) == 107000);
        CHILD_CHECK(aclrtFreeHost(blocks[i]) == 107000);
    }
    for (size_t i = 0; i < count; i += 2)
        CHILD_CHECK(aclrtFree(blocks[i]) == 0 && aclrtFree(blocks[i]) == 107000);
    CHILD_CHECK(aclrtResetDevice(0) == 0);
    for (size_t i = 0; i < count; i++)
        CHILD_CHECK(!memory_find(blocks[i], &found) && aclrtFree(blocks[i]) == 107000);
    CHILD_CHECK(aclrtSetDevice(0) == 0 && allocate(&blocks[0], 7 * MIB) == 0 && aclrtFree(blocks[0]) == 0);
    return 0;
}

static uint64_t kept_bytes(void)
{
    uint64_t live, peak;
    memory_usage(0, &live, &peak);
    return live;
}

/* Blocks that have mappings of their own wait for queued work as others do, and end with their device. */
static int mapped_blocks(void)
{
    struct rlimit few = {.rlim_cur = 400 * MIB, .rlim_max = 400 * MIB};
    CHILD_CHECK(setrlimit(RLIMIT_AS, &few) == 0);
    unsigned char *filler, *block, *other, *pinned;
    aclrtStream stream;
    struct memory_block found;
    CHILD_CHECK(aclrtSetDevice(1) == 0 && aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0);
    CHILD_CHECK(allocate(&filler, 90 * MIB) == 0 && allocate(&block, 20 * MIB) == 0);
    CHILD_CHECK(aclrtMallocHost((void **)&pinned, 20 * MIB) == 0);
    CHILD_CHECK(aclrtFree(pinned) == 107000 && aclrtFreeHost(block) == 107000);
    CHILD_CHECK(memory_usable_bytes(block + 4, 0) == 20 * MIB - 4 && memory_usable_bytes(block, 1) == 0);
    CHILD_CHECK(memory_usable_bytes(pinned + 4, 1) == 20 * MIB - 4);
    CHILD_CHECK(memory_usable_bytes(block + 20 * MIB, 0) == 0);
    CHILD_CHECK(aclrtHostRegister(block + 8, 16, ACL_HOST_REGISTER_MAPPED, NULL) == 107000);
    CHILD_CHECK(aclrtHostUnregister(block) == 507911);
    /* The work goes on reading what was freed before it, and nobody else is given that place. */
    memset(block, 7, 64);
    CHILD_CHECK(block_stream(stream) == 0);
    CHILD_CHECK(aclrtMemcpyAsync(pinned, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST, stream) == 0);
    CHILD_CHECK(aclrtFree(block) == 0 && aclrtFree(block) == 107000);
    CHILD_CHECK(!memory_find(block, &found) && block[63] == 7);
    CHILD_CHECK(allocate(&other, 20 * MIB) == 0 && other != block);
    unblock_stream();
    CHILD_CHECK(aclrtSynchronizeStream(stream) == 0 && pinned[63] == 7);
    CHILD_CHECK(kept_bytes() < 120 * MIB);
    CHILD_CHECK(aclrtFree(filler) == 0 && aclrtFreeHost(pinned) == 0);
    /* Of two devices the reset one's alone. */
    CHILD_CHECK(aclrtSetDevice(1) == 0 && allocate(&block, 90 * MIB) == 0 &&
                allocate(&filler, 30 * MIB) == 0);
    CHILD_CHECK(aclrtResetDeviceForce(0) == 0);
    CHILD_CHECK(!memory_find(other, &found) && memory_find(block, &found) && memory_find(filler, &found));
    CHILD_CHECK(aclrtResetDeviceForce(1) == 0);
    CHILD_CHECK(!memory_find(block, &found) && !memory_find(filler, &found));
    return 0;
}

static void blocks_outside_the_reserved_part_are_blocks_too(void **state)
{
    (void)state;
    if (UNDER_SANITIZER)
        skip(); /* the sanitizer itself needs more */
    setenv("BELAY_MEMORY", "1G", 1);
    assert_int_equal(run_in_child("BELAY_DEVICES", "2", mapped_blocks), 0);
    unsetenv("BELAY_MEMORY");
}

static int hardly_any_memory(void)
{
    unsigned char *block;
    aclrtUtilizationInfo rate = {.memoryUtilization = -1};
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtGetDeviceUtilizationRate(0, &rate) == 0);
    CHILD_CHECK(rate.memoryUtilization == 0 && allocate(&block, 1 * MIB) == 207001);
    return 0;
}

static int hardly_a_limit(void)
{
    unsigned char *block, *large;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && allocate(&block, 100) == 0);
    CHILD_CHECK(allocate(&large, (size_t)1 << 60) == 207001);
    CHILD_CHECK(aclrtFree(block) == 0);
    return 0;
}

static int room_for_gaps(void)
{
    unsigned char *block;
    uint64_t before = bytes_of_process(false);
    CHILD_CHECK(aclrtSetDevice(0) == 0 && allocate(&block, 1 * MIB) == 0);
    CHILD_CHECK(bytes_of_process(false) - before >= 4 * (1 + 1) * 4096 * MIB);
    return 0;
}

static void addresses_are_reserved_for_four_times_the_memory(void **state)
{
    (void)state;
    struct rlimit limit;
    if (UNDER_SANITIZER || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY)
        skip();
    assert_int_equal(run_in_child("BELAY_MEMORY", "4G", room_for_gaps), 0);
}

static int distant_limit_of_address_space(void)
{
    size_t free_bytes, total;
    struct rlimit much = {.rlim_cur = (rlim_t)1 << 60, .rlim_max = RLIM_INFINITY};
    CHILD_CHECK(setrlimit(RLIMIT_AS, &much) == 0);
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total) == 0);
    CHILD_CHECK(total > 0 && total < (size_t)1 << 50);
    return 0;
}

static void settings_at_either_end_are_taken(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_MEMORY", "64", hardly_any_memory), 0);
    assert_int_equal(run_in_child("BELAY_MEMORY", "140737488355328", hardly_a_limit), 0);
    if (!UNDER_SANITIZER)
        assert_int_equal(run_in_child(NULL, NULL, distant_limit_of_address_space), 0);
}

static void a_process_with_little_address_space_gets_what_fits(void **state)
{
    (void)state;
    if (UNDER_SANITIZER)
        skip(); /* the sanitizer itself needs more */
    assert_int_equal(run_in_child("BELAY_MEMORY", "1G", little_address_space), 0);
}

static int forked(void)
{
    void *block;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && allocate(&block, 100) == 0);
    pid_t child = fork();
    if (child == 0)
        _exit(allocate(&block, 100) != 107002 || aclrtFree(block) != 107002);
    int status;
    CHILD_CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHILD_CHECK(aclrtFree(block) == 0);
    return 0;
}

static void a_forked_child_is_refused(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, forked), 0);
}

#if UNDER_ADDRESS_SANITIZER
int __asan_address_is_poisoned(const volatile void *address);

static int poisoned(void)
{
    static const size_t sizes[] = {1, 1000, 300000, 2 * 1024 * 1024 - 32, 5000000};
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    for (size_t k = 0; k < 15; k++) {
        size_t bytes = sizes[k % 5] - k / 5 % 2; /* neighbours in size share blocks */
        unsigned char *block;
        if (bytes == 0)
            continue;
        CHILD_CHECK(allocate(&block, bytes) == 0);
        memset(block, 1, bytes + 32);
        bool fills_its_block = (bytes + 32) % 512 == 0;
        CHILD_CHECK(fills_its_block || __asan_address_is_poisoned(block + bytes + 32));
        CHILD_CHECK(aclrtFree(block) == 0);
        CHILD_CHECK(__asan_address_is_poisoned(block));
        if (k % 7 == 6)
            CHILD_CHECK(aclrtResetDevice(0) == 0 && aclrtSetDevice(0) == 0);
    }
    return 0;
}

static void a_program_under_address_sanitizer_sees_accesses_to_freed_memory(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, poisoned), 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_has_as_much_memory_as_its_setting_says),
        cmocka_unit_test(a_reset_frees_the_memory_of_its_device_and_no_other),
        cmocka_unit_test(a_gigabyte_costs_nothing_until_it_is_touched_and_goes_back),
        cmocka_unit_test(kept_memory_goes_back_when_the_device_would_exceed_its_memory),
        cmocka_unit_test(what_is_kept_goes_back_at_a_reset_and_under_pressure_without_blocks_that_live),
        cmocka_unit_test(a_request_that_the_system_cannot_back_is_refused),
        cmocka_unit_test(a_process_with_little_address_space_gets_what_fits),
        cmocka_unit_test(blocks_outside_the_reserved_part_are_blocks_too),
        cmocka_unit_test(addresses_are_reserved_for_four_times_the_memory),
        cmocka_unit_test(settings_at_either_end_are_taken),
        cmocka_unit_test(a_forked_child_is_refused),
#if UNDER_ADDRESS_SANITIZER
        cmocka_unit_test(a_program_under_address_sanitizer_sees_accesses_to_freed_memory),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
