/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The registry of memory: every address of every block against a plain model, and lookups while other threads
 * allocate and free.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "runtime/memory/device_memory.h"
#include "runtime/addresses/memory.h"
#include "support/memory_pressure.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* From 1 byte to most, each power of two as often as the others. */
static size_t random_size(uint64_t *state, unsigned most_bits)
{
    uint64_t bits = next_random(state) % most_bits;
    return (size_t)((UINT64_C(1) << bits) + next_random(state) % (UINT64_C(1) << bits));
}

struct model_block {
    uintptr_t base;
    size_t bytes;
    enum memory_place place;
};

enum { MODEL_BLOCKS = 300 };

static const struct model_block *model_find(const struct model_block *model, uintptr_t address)
{
    for (size_t i = 0; i < MODEL_BLOCKS; i++) {
        if (address - model[i].base < model[i].bytes)
            return &model[i];
    }
    return NULL;
}

static void assert_same(const struct model_block *model, uintptr_t address)
{
    struct memory_block found;
    const struct model_block *expected = model_find(model, address);
    assert_int_equal(memory_find((const void *)address, &found), expected != NULL);
    assert_int_equal(found.place, expected != NULL ? expected->place : MEMORY_UNKNOWN);
    if (expected != NULL)
        assert_true(found.base == expected->base && found.bytes == expected->bytes);
}

static void allocate(struct model_block *block, uint64_t *random)
{
    void *address;
    size_t bytes = random_size(random, 24);
    bool is_host = next_random(random) % 4 == 0;
    aclError result =
        is_host ? aclrtMallocHost(&address, bytes) : aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_NORMAL_ONLY);
    assert_int_equal(result, 0);
    *block = (struct model_block){
        .base = (uintptr_t)address, .bytes = bytes, .place = is_host ? MEMORY_PINNED_HOST : MEMORY_DEVICE};
}

static void release(struct model_block *block)
{
    void *address = (void *)block->base;
    assert_int_equal(block->place == MEMORY_DEVICE ? aclrtFree(address) : aclrtFreeHost(address), 0);
    *block = (struct model_block){0};
}

static void every_address_belongs_to_the_block_that_a_model_says(void **state)
{
    (void)state;
    static struct model_block model[MODEL_BLOCKS];
    uint64_t random = 0x9e3779b97f4a7c15u;
    uintptr_t stale = 0;
    for (int step = 0; step < 20000; step++) {
        struct model_block *block = &model[next_random(&random) % MODEL_BLOCKS];
        if (step % 300 == 299) {
            for (size_t i = (size_t)step / 300 % 2; i < MODEL_BLOCKS;
                 i += 2) { /* leaves chunks empty, half empty and full */
                if (model[i].bytes != 0)
                    release(&model[i]);
            }
            assert_true(is_more_refused());
        }
        if (block->bytes != 0) {
            stale = block->base + next_random(&random) % block->bytes;
            release(block);
        } else {
            allocate(block, &random);
            for (size_t i = 0; i < MODEL_BLOCKS; i++) {
                bool is_apart = &model[i] == block || model[i].bytes == 0 ||
                                model[i].base >= block->base + block->bytes + 32 ||
                                block->base >= model[i].base + model[i].bytes + 32;
                assert_true(is_apart);
            }
        }
        const struct model_block *other = &model[next_random(&random) % MODEL_BLOCKS];
        if (other->bytes != 0) {
            assert_same(model, other->base);
            assert_same(model, other->base - 1);
            assert_same(model, other->base + other->bytes - 1);
            assert_same(model, other->base + other->bytes);
            assert_same(model, other->base + next_random(&random) % other->bytes);
        }
        assert_same(model, stale);
    }
    for (size_t i = 0; i < MODEL_BLOCKS; i++) {
        if (model[i].bytes != 0)
            release(&model[i]);
    }
}

static void addresses_that_no_block_can_have_are_not_found(void **state)
{
    (void)state;
    struct memory_block block;
    void *live;
    assert_int_equal(aclrtMalloc(&live, 1, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    for (int bit = 0; bit < 64; bit++) {
        assert_false(memory_find((const void *)(UINT64_C(1) << bit), &block));
        assert_false(memory_find((const void *)~(UINT64_C(1) << bit), &block));
        if (bit != 0)
            assert_false(memory_find((const void *)((uintptr_t)live ^ UINT64_C(1) << bit), &block));
    }
    assert_false(memory_find(NULL, &block));
    assert_false(memory_find(&block, &block));
    assert_false(memory_is_reserved(&block));
    assert_true(memory_is_reserved(live));
    assert_int_equal(aclrtFree(live), 0);
}

/* What the threads of the race share: addresses that may go stale at any time. */
enum { RACE_THREADS = 8, RACE_SLOTS = 64, RACE_STEPS = 6000 };
static _Atomic uintptr_t race_slots[RACE_SLOTS];

/*
 * A block that this thread owns must be found exactly at every moment; an address of another thread may be
 * live or not, but what is found must contain it.
 */
static void *race(void *argument)
{
    uint64_t random = 88172645463325252u + (uintptr_t)argument;
    assert_int_equal(aclrtSetDevice(0), 0);
    struct model_block own[8] = {0};
    struct memory_block found;
    for (int step = 0; step < RACE_STEPS; step++) {
        struct model_block *block = &own[next_random(&random) % 8];
        _Atomic uintptr_t *slot = &race_slots[next_random(&random) % RACE_SLOTS];
        if (block->bytes != 0) {
            release(block);
        } else {
            allocate(block, &random);
            atomic_store_explicit(slot, block->base + next_random(&random) % block->bytes,
                                  memory_order_relaxed);
        }
        for (size_t i = 0; i < 8; i++) {
            if (own[i].bytes == 0)
                continue;
            uintptr_t inside = own[i].base + next_random(&random) % own[i].bytes;
            bool is_found = memory_find((const void *)inside, &found);
            assert_true(is_found && found.base == own[i].base && found.bytes == own[i].bytes &&
                        found.place == own[i].place);
        }
        uintptr_t other =
            atomic_load_explicit(&race_slots[next_random(&random) % RACE_SLOTS], memory_order_relaxed);
        if (memory_find((const void *)other, &found))
            assert_true(other - found.base < found.bytes);
        char text[MEMORY_TEXT_BYTES];
        memory_describe((const void *)other, text, sizeof text);
    }
    for (size_t i = 0; i < 8; i++) {
        if (own[i].bytes != 0)
            release(&own[i]);
    }
    return NULL;
}

static void lookups_stay_exact_while_eight_threads_allocate_and_free(void **state)
{
    (void)state;
    pthread_t threads[RACE_THREADS];
    for (uintptr_t i = 0; i < RACE_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, race, (void *)i), 0);
    for (size_t i = 0; i < RACE_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void *register_again_and_again(void *argument)
{
    unsigned char *memory = (unsigned char *)argument;
    assert_int_equal(aclrtSetDevice(0), 0);
    for (int step = 0; step < 3000; step++) {
        struct memory_block found;
        assert_int_equal(aclrtHostRegister(memory, 4096, ACL_HOST_REGISTER_MAPPED, NULL), 0);
        bool is_found = memory_find(memory + step, &found);
        assert_true(is_found && found.base == (uintptr_t)memory && found.bytes == 4096 &&
                    found.place == MEMORY_PINNED_HOST);
        assert_int_equal(aclrtHostUnregister(memory), 0);
        assert_false(memory_find(memory + step, &found));
    }
    return NULL;
}

static void lookups_stay_exact_while_threads_register_memory(void **state)
{
    (void)state;
    unsigned char *memory = (unsigned char *)malloc(4 * 8192);
    assert_non_null(memory);
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, register_again_and_again, memory + i * 8192), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    free(memory);
}

/* Of this thread's own work: what the machine does besides does not count. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Figures to read, with bounds so wide that only a lost fast path exceeds them. */
static void lookups_and_repeated_sizes_are_fast(void **state)
{
    (void)state;
    enum { COUNT = 256, ROUNDS = 2000 };
    void *blocks[COUNT];
    size_t sizes[COUNT];
    uint64_t random = 42;
    for (size_t i = 0; i < COUNT; i++) {
        sizes[i] = random_size(&random, 22);
        assert_int_equal(aclrtMalloc(&blocks[i], sizes[i], ACL_MEM_MALLOC_NORMAL_ONLY), 0);
    }
    struct memory_block found;
    uintptr_t sum = 0;
    double start = seconds();
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            memory_find((unsigned char *)blocks[i] + sizes[i] / 2, &found);
            sum += found.base;
        }
    }
    double find_ns = (seconds() - start) * 1e9 / (ROUNDS * COUNT);
    assert_true(sum != 0);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(aclrtFree(blocks[i]), 0);

    static const size_t repeated[] = {64, 4096, 300000, 4 << 20, 64 << 20};
    for (size_t k = 0; k < 5; k++) {
        void *block;
        aclError result = 0;
        start = seconds();
        for (int i = 0; i < 20000; i++) {
            result |= aclrtMalloc(&block, repeated[k], ACL_MEM_MALLOC_HUGE_FIRST);
            result |= aclrtFree(block);
        }
        double pair_ns = (seconds() - start) * 1e9 / 20000;
        assert_int_equal(result, 0);
        printf("malloc and free of %zu bytes: %.0f ns\n", repeated[k], pair_ns);
        assert_true(pair_ns < 200000);
    }
    printf("memory_find: %.1f ns\n", find_ns);
    assert_true(find_ns < 10000);
}

static int set_device(void **state)
{
    (void)state;
    return aclrtSetDevice(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_address_belongs_to_the_block_that_a_model_says),
        cmocka_unit_test(addresses_that_no_block_can_have_are_not_found),
        cmocka_unit_test(lookups_stay_exact_while_eight_threads_allocate_and_free),
        cmocka_unit_test(lookups_stay_exact_while_threads_register_memory),
        cmocka_unit_test(lookups_and_repeated_sizes_are_fast),
    };
    return cmocka_run_group_tests(tests, set_device, NULL);
}
