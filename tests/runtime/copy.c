/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Copies of one dimension: codes in their order, ranges, kinds, stream order, batches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "runtime/streams/device_streams.h"
#include "support/blocked_stream.h"
#include "support/child.h"
#include "support/failure.h"
#include "support/thread.h"

enum { BYTES = 4096 };

static aclrtStream stream;
static unsigned char *device, *device2, *pinned, *gone; /* BYTES each; gone was freed */
static unsigned char host[BYTES + 64];

static int set_up(void **state)
{
    (void)state;
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
        aclrtMalloc((void **)&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
        aclrtMalloc((void **)&device2, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
        aclrtMalloc((void **)&gone, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
        aclrtMallocHost((void **)&pinned, BYTES) != 0)
        return -1;
    return aclrtFree(gone);
}

static int tear_down(void **state)
{
    (void)state;
    if (aclrtFree(device) != 0 || aclrtFree(device2) != 0 || aclrtFreeHost(pinned) != 0 ||
        aclrtDestroyStream(stream) != 0)
        return -1;
    return aclrtResetDevice(0);
}

typedef aclError copy_function(void *dst, size_t destMax, const void *src, size_t count,
                               aclrtMemcpyKind kind);

static aclError copy_async(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    return aclrtMemcpyAsync(dst, destMax, src, count, kind, stream);
}

static aclError copy_with_condition(void *dst, size_t destMax, const void *src, size_t count,
                                    aclrtMemcpyKind kind)
{
    return aclrtMemcpyAsyncWithCondition(dst, destMax, src, count, kind, stream);
}

static copy_function *const functions[] = {aclrtMemcpy, copy_async, copy_with_condition};
enum { FUNCTIONS = 3 };
static const aclrtMemcpyKind TO_DEVICE = ACL_MEMCPY_HOST_TO_DEVICE;

/* Each line has one fault more in front of the later ones, so that the order shows. */
static void arguments_are_checked_in_the_order_of_the_contract(void **state)
{
    (void)state;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        copy_function *copy = functions[i];
        assert_int_equal(copy(NULL, 0, NULL, 0, (aclrtMemcpyKind)99), 0);
        assert_failure(copy(NULL, 0, host, 8, (aclrtMemcpyKind)99), 100000, "dst is NULL");
        assert_failure(copy(device, 0, NULL, 8, (aclrtMemcpyKind)99), 100000, "src is NULL");
        assert_failure(copy(device, 0, host, 8, (aclrtMemcpyKind)99), 100000, "kind is 99");
        assert_failure(copy(device, 0, host, 8, (aclrtMemcpyKind)6), 100000, "kind is 6");
        assert_failure(copy(device, 8, host, 8, (aclrtMemcpyKind)-1), 100000, "kind is -1");
        assert_failure(copy(gone, 0, host, 8, TO_DEVICE), 107000, "count is 8");
        assert_failure(copy(gone, 7, gone, 8, TO_DEVICE), 107000, "count is 8");
        assert_int_equal(copy(gone, 8, gone, 8, TO_DEVICE), 0);
        assert_failure(copy(gone, 8, host, 8, TO_DEVICE), 107000, "was already freed");
        assert_failure(copy(device, 8, gone, 8, ACL_MEMCPY_DEVICE_TO_DEVICE), 107000, "was already freed");
    }
}

static void *without_context(void *unused)
{
    assert_int_equal(aclrtMemcpy(NULL, 0, NULL, 0, TO_DEVICE), 0);
    assert_int_equal(aclrtMemcpy(device, 7, host, 8, TO_DEVICE), 107000);
    assert_int_equal(aclrtMemcpy(device, 8, device, 8, TO_DEVICE), 0);
    assert_int_equal(aclrtMemcpy(device, 8, host, 8, TO_DEVICE), 107002);
    assert_int_equal(aclrtMemcpy(gone, 8, host, 8, TO_DEVICE), 107002);
    assert_int_equal(aclrtMemcpyAsync(device, 7, pinned, 8, TO_DEVICE, NULL), 107000);
    assert_int_equal(aclrtMemcpyAsync(device, 8, pinned, 8, TO_DEVICE, NULL), 107002);
    assert_int_equal(aclrtMemcpyAsyncWithCondition(device, 8, pinned, 8, TO_DEVICE, NULL), 107002);
    size_t size = 8, index = 0, failed = 0;
    void *to = device, *from = host;
    aclrtMemcpyBatchAttr attribute = {0};
    assert_int_equal(aclrtMemcpyBatch(&to, &size, &from, &size, 1, &attribute, &index, 1, &failed), 107002);
    return unused;
}

static void a_thread_without_a_context_is_refused_after_the_arguments(void **state)
{
    (void)state;
    run_in_thread(without_context, NULL);
}

static void a_range_past_the_end_of_a_block_is_refused_on_either_side(void **state)
{
    (void)state;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        copy_function *copy = functions[i];
        assert_failure(copy(device + 1, BYTES, host, BYTES, TO_DEVICE), 107000,
                       "dst + 4096 bytes reaches 1 bytes");
        assert_failure(copy(device + BYTES, 8, host, 8, TO_DEVICE), 107000, "0 bytes past the end");
        assert_failure(copy(host, BYTES, device + 8, BYTES, ACL_MEMCPY_DEVICE_TO_HOST), 107000,
                       "src + 4096 bytes reaches 8 bytes past the end");
        assert_failure(copy(pinned + 1, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST), 107000,
                       "reaches 1 bytes past the end");
        assert_failure(copy(device, SIZE_MAX, host, SIZE_MAX, TO_DEVICE), 107000, "past the end");
        assert_failure(copy(host, SIZE_MAX, device, SIZE_MAX, ACL_MEMCPY_DEFAULT), 107000,
                       "leaves the memory of the host");
    }
}

static void a_blocking_copy_takes_the_direction_from_the_addresses(void **state)
{
    (void)state;
    for (int kind = 0; kind <= 5; kind++) {
        unsigned char back[BYTES], second[BYTES];
        for (size_t i = 0; i < BYTES; i++)
            host[i] = (unsigned char)(i * 7 + (size_t)kind);
        assert_int_equal(aclrtMemcpy(device, BYTES, host, BYTES, (aclrtMemcpyKind)kind), 0);
        assert_int_equal(aclrtMemcpy(device2 + 64, BYTES - 64, device, BYTES - 64, (aclrtMemcpyKind)kind), 0);
        assert_int_equal(aclrtMemcpy(pinned, BYTES, device2, BYTES, (aclrtMemcpyKind)kind), 0);
        assert_int_equal(aclrtMemcpy(back, sizeof back, pinned, BYTES, (aclrtMemcpyKind)kind), 0);
        assert_int_equal(aclrtMemcpy(second, sizeof second, back, BYTES, (aclrtMemcpyKind)kind), 0);
        assert_memory_equal(second + 64, host, BYTES - 64);
    }
}

static void overlapping_ranges_are_copied_as_if_through_a_buffer(void **state)
{
    (void)state;
    for (int distance = 1; distance < 100; distance += 13) {
        for (size_t i = 0; i < BYTES; i++)
            device[i] = (unsigned char)(i * 31 >> 3);
        memcpy(host, device, BYTES);
        assert_int_equal(
            aclrtMemcpy(device + distance, BYTES - 100, device, BYTES - 100, ACL_MEMCPY_DEVICE_TO_DEVICE), 0);
        assert_memory_equal(device + distance, host, BYTES - 100);
        memcpy(host, device, BYTES);
        assert_int_equal(aclrtMemcpyAsync(device, BYTES - 100, device + distance, BYTES - 100,
                                          ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
                         0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_memory_equal(device, host + distance, BYTES - 100);
    }
}

static void a_large_copy_arrives_whole(void **state)
{
    (void)state;
    enum { LARGE = (40 << 20) + 12345 };
    unsigned char *from = (unsigned char *)malloc(LARGE), *to;
    assert_non_null(from);
    for (size_t i = 0; i < LARGE; i++)
        from[i] = (unsigned char)(i * 2654435761u >> 13);
    assert_int_equal(aclrtMalloc((void **)&to, LARGE, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMemcpy(to, LARGE, from, LARGE, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    assert_memory_equal(to, from, LARGE);
    assert_int_equal(aclrtMemcpyAsync(to + 1, LARGE - 1, to, LARGE - 1, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
                     0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_memory_equal(to + 1, from, LARGE - 1);
    assert_int_equal(aclrtFree(to), 0);
    free(from);
}

static void a_copy_in_stream_order_needs_a_kind_that_agrees(void **state)
{
    (void)state;
    assert_failure(aclrtMemcpyAsync(device, 8, pinned, 8, ACL_MEMCPY_DEVICE_TO_HOST, stream), 107000,
                   "dst is device memory and src is pinned host memory");
    assert_failure(aclrtMemcpyAsync(pinned, 8, device, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream), 107000, "kind");
    assert_failure(aclrtMemcpyAsync(pinned, 8, device, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream), 107000,
                   "kind");
    assert_failure(aclrtMemcpyAsync(device, 8, device2, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream), 107000,
                   "kind");
    assert_failure(aclrtMemcpyAsync(device, 8, device2, 8, ACL_MEMCPY_DEVICE_TO_HOST, stream), 107000,
                   "kind");
    assert_failure(aclrtMemcpyAsync(host, 8, pinned, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream), 107000, "kind");
    assert_failure(aclrtMemcpyAsync(device, 8, device2, 8, ACL_MEMCPY_HOST_TO_HOST, stream), 207000,
                   "not supported");
    assert_failure(aclrtMemcpyAsync(host, 8, pinned, 8, ACL_MEMCPY_HOST_TO_HOST, stream), 207000,
                   "not supported");
    assert_failure(aclrtMemcpyAsync(host, 8, pinned, 8, ACL_MEMCPY_DEFAULT, stream), 207000, "not supported");
    assert_int_equal(aclrtMemcpyAsync(device, 8, device2, 8, ACL_MEMCPY_DEFAULT, stream), 0);
    assert_int_equal(aclrtMemcpyAsync(device, 8, pinned, 8, ACL_MEMCPY_DEFAULT, NULL), 0);
    assert_int_equal(aclrtMemcpyAsync(device, 8, pinned, 8, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream), 0);
    assert_int_equal(aclrtSynchronizeDevice(), 0);
}

static void a_stale_or_foreign_stream_is_refused(void **state)
{
    (void)state;
    aclrtStream stale;
    assert_int_equal(aclrtCreateStream(&stale), 0);
    assert_int_equal(aclrtDestroyStream(stale), 0);
    assert_int_equal(aclrtMemcpyAsync(device, 8, pinned, 8, TO_DEVICE, stale), 107017);
    assert_int_equal(aclrtMemcpyAsync(device, 8, pinned, 8, TO_DEVICE, host), 107017);
    assert_int_equal(aclrtMemcpyAsyncWithCondition(device, 8, pinned, 8, TO_DEVICE, stale), 107017);
    assert_int_equal(aclrtMemcpyAsync(device, 7, pinned, 8, TO_DEVICE, stale), 107000);
    assert_int_equal(aclrtMemcpyAsync(gone, 8, pinned, 8, TO_DEVICE, stale), 107017);
}

static void pinned_memory_is_read_when_the_stream_comes_to_it(void **state)
{
    (void)state;
    memset(device, 0, BYTES);
    memset(pinned, 1, BYTES);
    assert_int_equal(block_stream(stream), 0);
    assert_int_equal(aclrtMemcpyAsync(device, BYTES, pinned, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream), 0);
    assert_int_equal(aclrtMemcpyAsync(device2, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream), 0);
    assert_int_equal(device[5], 0);
    memset(pinned, 2, BYTES);
    unblock_stream();
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(device2[5], 2);
}

static void *unblock_later(void *unused)
{
    sleep_ms(20);
    unblock_stream();
    return unused;
}

static void pageable_memory_is_read_before_the_call_returns_and_after_the_stream(void **state)
{
    (void)state;
    pthread_t thread;
    memset(host, 3, BYTES);
    memset(pinned, 4, BYTES);
    assert_int_equal(block_stream(stream), 0);
    assert_int_equal(aclrtMemcpyAsync(device, BYTES, pinned, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream), 0);
    assert_int_equal(pthread_create(&thread, NULL, unblock_later, NULL), 0);
    assert_int_equal(aclrtMemcpyAsync(device, 100, host, 100, ACL_MEMCPY_HOST_TO_DEVICE, stream), 0);
    assert_int_equal(device[99], 3);
    assert_int_equal(device[100], 4);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(aclrtMemcpyAsync(host, 200, device, 200, ACL_MEMCPY_DEVICE_TO_HOST, stream), 0);
    assert_int_equal(host[199], 4);
}

static void memory_that_queued_work_uses_is_not_used_again_before_it_has_ended(void **state)
{
    (void)state;
    static const size_t sizes[] = {5000, 3 << 20};
    for (size_t k = 0; k < 2; k++) {
        unsigned char *source, *copy, *next, *last;
        assert_int_equal(aclrtMalloc((void **)&source, sizes[k], ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_int_equal(aclrtMalloc((void **)&copy, sizes[k], ACL_MEM_MALLOC_HUGE_FIRST), 0);
        memset(source, 11, sizes[k]);
        assert_int_equal(block_stream(stream), 0);
        assert_int_equal(
            aclrtMemcpyAsync(copy, sizes[k], source, sizes[k], ACL_MEMCPY_DEVICE_TO_DEVICE, stream), 0);
        assert_int_equal(aclrtFree(source), 0);
        assert_int_equal(aclrtFree(source), 107000);
        assert_int_equal(aclrtMalloc((void **)&next, sizes[k], ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_ptr_not_equal(next, source);
        memset(next, 12, sizes[k]);
        unblock_stream();
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_int_equal(copy[0], 11);
        assert_int_equal(copy[sizes[k] - 1], 11);
        for (int i = 0; i < 1000 && device_is_busy(0); i++)
            sleep_ms(1); /* the worker may be leaving the stream still */
        assert_int_equal(aclrtMalloc((void **)&last, sizes[k], ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_ptr_equal(last, source);
        assert_int_equal(aclrtFree(last), 0);
        assert_int_equal(aclrtFree(next), 0);
        assert_int_equal(aclrtFree(copy), 0);
    }
}

enum { THREADS = 8, ROUNDS = 150 };

/* Frees the source of a copy as soon as the copy is queued, and has the next round allocate the same size. */
static void *copy_and_free(void *argument)
{
    unsigned char mark = (unsigned char)(uintptr_t)argument;
    unsigned char *from, *to, *back;
    aclrtStream own;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&own), 0);
    assert_int_equal(aclrtMallocHost((void **)&back, BYTES), 0);
    for (int round = 0; round < ROUNDS; round++) {
        assert_int_equal(aclrtMalloc((void **)&from, BYTES, ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_int_equal(aclrtMalloc((void **)&to, BYTES, ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_int_equal(aclrtMemsetAsync(from, BYTES, mark + round, BYTES, own), 0);
        assert_int_equal(aclrtMemcpyAsync(to, BYTES, from, BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, own), 0);
        assert_int_equal(aclrtFree(from), 0);
        assert_int_equal(aclrtMemcpyAsync(back, BYTES, to, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, own), 0);
        assert_int_equal(aclrtFree(to), 0);
        assert_int_equal(aclrtSynchronizeStream(own), 0);
        assert_int_equal(back[0], (unsigned char)(mark + round));
        assert_int_equal(back[BYTES - 1], (unsigned char)(mark + round));
    }
    assert_int_equal(aclrtFreeHost(back), 0);
    assert_int_equal(aclrtDestroyStream(own), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
    return NULL;
}

static void eight_threads_may_free_what_their_queued_copies_use(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, copy_and_free, (void *)(i * 29)), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void a_batch_is_checked_whole_before_it_is_copied(void **state)
{
    (void)state;
    void *to[3] = {device, NULL, device2}, *from[3] = {host, NULL, host + 10};
    size_t most[3] = {BYTES, 0, 20}, sizes[3] = {100, 0, 20}, indexes[2] = {0, 2}, failed = 7;
    aclrtMemcpyBatchAttr attributes[2] = {{.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE}},
                                          {.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE}}};
    for (size_t i = 0; i < 64; i++)
        host[i] = (unsigned char)(i + 1);
    assert_int_equal(aclrtMemcpyBatch(to, most, from, sizes, 3, attributes, indexes, 2, &failed), 0);
    assert_memory_equal(device, host, 100);
    assert_memory_equal(device2, host + 10, 20);
    assert_true(failed == SIZE_MAX);

    memset(host, 99, 100);
    most[2] = 19;
    assert_failure(aclrtMemcpyBatch(to, most, from, sizes, 3, attributes, indexes, 2, &failed), 107000,
                   "count is 20");
    assert_int_equal(failed, 2);
    assert_int_equal(device[0], 1);
    most[2] = 20;
    to[0] = gone;
    assert_int_equal(aclrtMemcpyBatch(to, most, from, sizes, 3, attributes, indexes, 2, &failed), 107000);
    assert_int_equal(failed, 0);
    to[0] = NULL;
    assert_int_equal(aclrtMemcpyBatch(to, most, from, sizes, 3, attributes, indexes, 2, &failed), 100000);
    assert_int_equal(failed, 0);
    to[0] = device;

    assert_int_equal(aclrtMemcpyBatch(NULL, most, from, sizes, 3, attributes, indexes, 2, &failed), 100000);
    assert_int_equal(aclrtMemcpyBatch(to, NULL, from, sizes, 3, attributes, indexes, 2, &failed), 100000);
    assert_int_equal(aclrtMemcpyBatch(to, most, NULL, sizes, 3, attributes, indexes, 2, &failed), 100000);
    assert_int_equal(aclrtMemcpyBatch(to, most, from, NULL, 3, attributes, indexes, 2, &failed), 100000);
    assert_int_equal(aclrtMemcpyBatch(to, most, from, sizes, 0, attributes, indexes, 2, &failed), 100000);
    assert_int_equal(aclrtMemcpyBatch(to, most, from, sizes, 3, NULL, indexes, 2, &failed), 100000);
    assert_int_equal(aclrtMemcpyBatch(to, most, from, sizes, 3, attributes, NULL, 2, &failed), 100000);
    assert_int_equal(aclrtMemcpyBatch(to, most, from, sizes, 3, attributes, indexes, 0, &failed), 100000);
    assert_int_equal(aclrtMemcpyBatch(to, most, from, sizes, 3, attributes, indexes, 2, NULL), 100000);
    assert_int_equal(aclrtMemcpyBatch(to, most, from, sizes, 1, attributes, indexes, 2, &failed), 100000);
    indexes[1] = 3;
    assert_int_equal(aclrtMemcpyBatch(to, most, from, sizes, 3, attributes, indexes, 2, &failed), 100000);
    indexes[1] = 2;
    indexes[0] = 1;
    assert_int_equal(aclrtMemcpyBatch(to, most, from, sizes, 3, attributes, indexes, 2, &failed), 100000);
    indexes[0] = 0;
    indexes[1] = 0; /* not greater */
    assert_failure(aclrtMemcpyBatch(to, most, from, sizes, 3, attributes, indexes, 2, &failed), 100000,
                   "attrsIndexes[1] is 0");
    indexes[1] = 2;
    attributes[0].dstLoc.type = (aclrtMemLocationType)5;
    assert_failure(aclrtMemcpyBatch(to, most, from, sizes, 3, attributes, indexes, 2, &failed), 100000,
                   "location types 5 and 0");
    attributes[0].dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    attributes[1].srcLoc.type = (aclrtMemLocationType)5;
    assert_int_equal(aclrtMemcpyBatch(to, most, from, sizes, 3, attributes, indexes, 2, &failed), 100000);
    assert_true(failed == SIZE_MAX);
}

static int host_pointers(void)
{
    void *block;
    static unsigned char other[64];
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    memset(host, 5, 64);
    CHILD_CHECK(aclrtMemcpyAsync(other, 64, host, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL) == 0);
    CHILD_CHECK(aclrtMemcpyAsync(block, 64, other, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL) == 0);
    CHILD_CHECK(aclrtMemcpyAsync(block, 64, other, 64, ACL_MEMCPY_DEVICE_TO_HOST, NULL) == 107000);
    CHILD_CHECK(aclrtMemcpyAsync(other, 64, host, 64, ACL_MEMCPY_HOST_TO_HOST, NULL) == 207000);
    CHILD_CHECK(aclrtSynchronizeDevice() == 0);
    CHILD_CHECK(other[63] == 5 && ((unsigned char *)block)[63] == 5);
    CHILD_CHECK(aclrtMemcpyAsync(block, 65, host, 65, ACL_MEMCPY_HOST_TO_DEVICE, NULL) == 107000);
    /* Rows, sets and maintenance of caches too; kinds say which side is which. */
    memset(host, 6, 64);
    CHILD_CHECK(aclrtMemcpy2d(other, 8, host, 8, 8, 8, ACL_MEMCPY_HOST_TO_DEVICE) == 0 && other[63] == 6);
    CHILD_CHECK(aclrtMemcpy2d(other, 8, host, 8, 8, 8, ACL_MEMCPY_DEVICE_TO_DEVICE) == 207000);
    CHILD_CHECK(aclrtMemcpy2d(block, 8, block, 8, 8, 8, ACL_MEMCPY_DEFAULT) == 207000);
    CHILD_CHECK(aclrtMemcpy2d(block, 8, other, 8, 8, 8, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    CHILD_CHECK(((unsigned char *)block)[63] == 6);
    CHILD_CHECK(aclrtMemsetAsync(other, 64, 7, 64, NULL) == 0);
    CHILD_CHECK(aclrtSynchronizeStream(NULL) == 0 && other[63] == 7);
    CHILD_CHECK(aclrtMemFlush(other, 64) == 0 && aclrtMemInvalidate(other, 64) == 0);
    return aclrtResetDevice(0);
}

static void host_memory_can_stand_for_device_memory_where_the_setting_allows_it(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_HOST_POINTERS", "allow", host_pointers), 0);
}

static _Atomic int lazy_task_ran;

static int run_lazy_task(struct task *task)
{
    (void)task;
    atomic_store(&lazy_task_ran, 1);
    return 0;
}

static int lazy(void)
{
    CHILD_CHECK(set_up(NULL) == 0);
    for (int kind = 0; kind < 3; kind++) {
        struct task task = {.run = run_lazy_task, .cost_ns = 1};
        atomic_store(&lazy_task_ran, 0);
        CHILD_CHECK(stream_submit("test", stream, &task) == 0);
        sleep_ms(10);
        CHILD_CHECK(atomic_load(&lazy_task_ran) == 0);
        if (kind == 0)
            CHILD_CHECK(aclrtMemcpy(device2, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
        else if (kind == 1)
            CHILD_CHECK(aclrtMemcpy2d(device2, 8, host, 8, 8, 1, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
        else
            CHILD_CHECK(aclrtMemset(device2, 8, 0, 8) == 0);
        for (int i = 0; i < 5000 && atomic_load(&lazy_task_ran) == 0; i++)
            sleep_ms(1);
        CHILD_CHECK(atomic_load(&lazy_task_ran) == 1);
    }
    return tear_down(NULL);
}

static void work_runs_at_a_blocking_copy_or_set_under_the_lazy_schedule(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_SCHEDULE", "lazy", lazy), 0);
}

int main(void)
{
    const struct CMUnitTest settings[] = {
        cmocka_unit_test(host_memory_can_stand_for_device_memory_where_the_setting_allows_it),
        cmocka_unit_test(work_runs_at_a_blocking_copy_or_set_under_the_lazy_schedule),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_checked_in_the_order_of_the_contract),
        cmocka_unit_test(a_thread_without_a_context_is_refused_after_the_arguments),
        cmocka_unit_test(a_range_past_the_end_of_a_block_is_refused_on_either_side),
        cmocka_unit_test(a_blocking_copy_takes_the_direction_from_the_addresses),
        cmocka_unit_test(overlapping_ranges_are_copied_as_if_through_a_buffer),
        cmocka_unit_test(a_large_copy_arrives_whole),
        cmocka_unit_test(a_copy_in_stream_order_needs_a_kind_that_agrees),
        cmocka_unit_test(a_stale_or_foreign_stream_is_refused),
        cmocka_unit_test(pinned_memory_is_read_when_the_stream_comes_to_it),
        cmocka_unit_test(pageable_memory_is_read_before_the_call_returns_and_after_the_stream),
        cmocka_unit_test(memory_that_queued_work_uses_is_not_used_again_before_it_has_ended),
        cmocka_unit_test(eight_threads_may_free_what_their_queued_copies_use),
        cmocka_unit_test(a_batch_is_checked_whole_before_it_is_copied),
    };
    int failures = cmocka_run_group_tests_name("settings", settings, NULL, NULL);
    return failures + cmocka_run_group_tests_name("copies", tests, set_up, tear_down);
}
