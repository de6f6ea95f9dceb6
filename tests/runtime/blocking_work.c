/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Memory that a program frees while another thread is in the middle of a blocking copy or set of it. The
 * copying thread is stopped there by a page that it may not touch. Meant to run under ThreadSanitizer too.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "acl/acl_rt.h"
#include "runtime/streams/blocking_work.h"
#include "runtime/devices/device.h"

enum { BYTES = 4 << 20, ROWS = 4, GUARD = 4096, COPIED = 0xAA, OWNED = 0x55 };

enum stage { STAGE_BEFORE, STAGE_WITHIN, STAGE_GOES_ON };
static _Atomic int stage;
static unsigned char *guard; /* the page */
static unsigned char *host;  /* BYTES that the guard may be at the end of */
static aclrtStream stream;

static void wait_for(int value)
{
    while (atomic_load(&stage) != value)
        sched_yield();
}

static void stop_at_guard(int number, siginfo_t *fault, void *context)
{
    (void)context;
    unsigned char *at = (unsigned char *)fault->si_addr;
    if (at < guard || at >= guard + GUARD || atomic_load(&stage) != STAGE_BEFORE) {
        signal(number, SIG_DFL); /* a fault of its own: the instruction runs again and ends the test */
        return;
    }
    atomic_store(&stage, STAGE_WITHIN);
    wait_for(STAGE_GOES_ON);
    mprotect(guard, GUARD, PROT_READ | PROT_WRITE);
}

static int copy_to_device(unsigned char *block)
{
    return aclrtMemcpy(block, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE);
}

static int copy_from_device(unsigned char *block)
{
    return aclrtMemcpy(host, BYTES, block, BYTES, ACL_MEMCPY_DEVICE_TO_HOST);
}

static int copy_rows(unsigned char *block)
{
    size_t pitch = BYTES / ROWS;
    return aclrtMemcpy2d(block, pitch, host, pitch, pitch, ROWS, ACL_MEMCPY_HOST_TO_DEVICE);
}

static int copy_batch(unsigned char *block)
{
    void *to[] = {block}, *from[] = {host};
    size_t bytes[] = {BYTES}, first[] = {0}, failed;
    aclrtMemcpyBatchAttr attribute = {.dstLoc = {.type = ACL_MEM_LOCATION_TYPE_DEVICE},
                                      .srcLoc = {.type = ACL_MEM_LOCATION_TYPE_HOST}};
    return aclrtMemcpyBatch(to, bytes, from, bytes, 1, &attribute, first, 1, &failed);
}

static int copy_in_order(unsigned char *block)
{
    return aclrtMemcpyAsync(block, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static int copy_rows_in_order(unsigned char *block)
{
    size_t pitch = BYTES / ROWS;
    return aclrtMemcpy2dAsync(block, pitch, host, pitch, pitch, ROWS, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static int set(unsigned char *block)
{
    return aclrtMemset(block, BYTES, COPIED, BYTES);
}

struct job {
    int (*call)(unsigned char *block);
    unsigned char *block;
    int status;
};

static void *run_job(void *argument)
{
    struct job *job = (struct job *)argument;
    job->status = aclrtSetDevice(0);
    if (job->status == 0)
        job->status = job->call(job->block);
    atomic_store(&stage, STAGE_WITHIN); /* also if nothing stopped it: the test goes on and fails */
    if (aclrtResetDevice(0) != 0)
        job->status = -1;
    return NULL;
}

static unsigned char *allocate(void)
{
    void *block;
    assert_int_equal(aclrtMalloc(&block, BYTES, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    return (unsigned char *)block;
}

/* Frees the block in the middle of the call. guards_block: the call stops at the block, not at host memory.
 */
static void assert_kept(int (*call)(unsigned char *block), bool guards_block)
{
    pthread_t thread;
    struct job job = {.call = call, .block = allocate()};
    memset(host, COPIED, BYTES);
    guard = (guards_block ? job.block : host) + BYTES - GUARD;
    atomic_store(&stage, STAGE_BEFORE);
    /* Here, because cmocka installs handlers of its own for each test. */
    struct sigaction action = {.sa_sigaction = stop_at_guard, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
    assert_int_equal(mprotect(guard, GUARD, PROT_NONE), 0);
    assert_int_equal(pthread_create(&thread, NULL, run_job, &job), 0);
    wait_for(STAGE_WITHIN);

    int freed = aclrtFree(job.block);
    unsigned char *other = allocate();
    bool is_given_out = other == job.block;
    if (!is_given_out)
        memset(other, OWNED, BYTES);
    atomic_store(&stage, STAGE_GOES_ON);
    assert_int_equal(pthread_join(thread, NULL), 0);

    assert_int_equal(freed, 0);
    assert_false(is_given_out);
    assert_int_equal(job.status, 0);
    for (int i = 0; i < BYTES; i += 64)
        assert_int_equal(other[i], OWNED);
    /* From now on nothing uses the block. */
    unsigned char *again = allocate();
    assert_ptr_equal(again, job.block);
    assert_int_equal(aclrtFree(again), 0);
    assert_int_equal(aclrtFree(other), 0);
    assert_int_equal(blocking_work_oldest(), UINT64_MAX);
}

static void the_target_of_a_copy_is_kept(void **state)
{
    (void)state;
    assert_kept(copy_to_device, false);
}

static void the_source_of_a_copy_is_kept(void **state)
{
    (void)state;
    assert_kept(copy_from_device, false);
}

static void the_target_of_rows_is_kept(void **state)
{
    (void)state;
    assert_kept(copy_rows, false);
}

static void the_targets_of_a_batch_are_kept(void **state)
{
    (void)state;
    assert_kept(copy_batch, false);
}

static void the_targets_of_copies_that_host_memory_makes_blocking_are_kept(void **state)
{
    (void)state;
    assert_kept(copy_in_order, false);
    assert_kept(copy_rows_in_order, false);
}

static void the_target_of_a_set_is_kept(void **state)
{
    (void)state;
    assert_kept(set, true);
}

static void work_that_fails_keeps_nothing(void **state)
{
    (void)state;
    unsigned char *block = allocate();
    assert_int_equal(aclrtFree(block), 0);
    assert_int_equal(copy_to_device(block), 107000);
    assert_int_equal(copy_rows(block), 107000);
    assert_int_equal(copy_batch(block), 107000);
    assert_int_equal(set(block), 107000);
    assert_int_equal(blocking_work_oldest(), UINT64_MAX);
}

enum { THREADS = 40 }; /* more than there are places */
static _Atomic int begun;

static void *begin_and_end(void *argument)
{
    (void)argument;
    _Atomic uint64_t *work = blocking_work_begin();
    atomic_fetch_add(&begun, 1);
    while (atomic_load(&begun) <= THREADS)
        sched_yield();
    blocking_work_end(work);
    return NULL;
}

static void more_work_than_there_are_places_counts(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    assert_int_equal(blocking_work_oldest(), UINT64_MAX);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, begin_and_end, NULL), 0);
    while (atomic_load(&begun) < THREADS)
        sched_yield();
    assert_true(blocking_work_oldest() < device_mark());
    atomic_fetch_add(&begun, 1);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(blocking_work_oldest(), UINT64_MAX);
}

static void work_is_older_than_every_later_free_and_not_than_earlier_ones(void **state)
{
    (void)state;
    uint64_t before = device_mark();
    _Atomic uint64_t *first = blocking_work_begin();
    uint64_t oldest = blocking_work_oldest();
    uint64_t between = device_mark();
    _Atomic uint64_t *second = blocking_work_begin(); /* of the same thread, as in a signal handler */
    assert_ptr_not_equal(first, second);
    assert_true(oldest >= before);
    assert_true(blocking_work_oldest() < between);
    blocking_work_end(first);
    blocking_work_end(second);
    assert_int_equal(blocking_work_oldest(), UINT64_MAX);
}

static int set_up(void **state)
{
    (void)state;
    void *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || aclrtSetDevice(0) != 0)
        return -1;
    host = (unsigned char *)memory;
    return aclrtCreateStream(&stream);
}

static int tear_down(void **state)
{
    (void)state;
    munmap(host, BYTES);
    return aclrtDestroyStream(stream) | aclrtResetDevice(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_target_of_a_copy_is_kept),
        cmocka_unit_test(the_source_of_a_copy_is_kept),
        cmocka_unit_test(the_target_of_rows_is_kept),
        cmocka_unit_test(the_targets_of_a_batch_are_kept),
        cmocka_unit_test(the_targets_of_copies_that_host_memory_makes_blocking_are_kept),
        cmocka_unit_test(the_target_of_a_set_is_kept),
        cmocka_unit_test(work_that_fails_keeps_nothing),
        cmocka_unit_test(more_work_than_there_are_places_counts),
        cmocka_unit_test(work_is_older_than_every_later_free_and_not_than_earlier_ones),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
