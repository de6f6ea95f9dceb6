/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Threads that use the same objects at once, which programs must not do and which must harm nothing. Meant to
 * run under ThreadSanitizer too.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "acl/acl_rt.h"
#include "support/copy_operation.h"
#include "support/effort.h"
#include "tensor/array.h"

enum { THREADS = 3, ROUNDS_MAX = 8000, COUNT = 16 };

static int rounds; /* times_effort(1000), and no more than that */

static float *memory;
static aclrtContext context;

/* Runs body on all threads at once; every thread gets its number. */
struct crew {
    void (*body)(int thread);
    _Atomic int ready;
    _Atomic int next;
};

static void *crew_member(void *argument)
{
    struct crew *crew = (struct crew *)argument;
    int thread = atomic_fetch_add(&crew->next, 1);
    (void)aclrtSetCurrentContext(context);
    atomic_fetch_add(&crew->ready, 1);
    while (atomic_load(&crew->ready) < THREADS)
        sched_yield();
    crew->body(thread);
    return NULL;
}

/* Threads that have come to a round; each waits for the others, so that they go for the same object at once.
 */
static _Atomic unsigned arrivals;

static void meet(unsigned round)
{
    atomic_fetch_add(&arrivals, 1);
    while (atomic_load(&arrivals) < (round + 1) * THREADS)
        sched_yield();
}

static void run_together(void (*body)(int thread))
{
    atomic_store(&arrivals, 0);
    struct crew crew = {.body = body};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, crew_member, &crew), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0) | aclrtGetCurrentContext(&context) |
           aclrtMalloc((void **)&memory, 2 * COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtFree(memory) | aclrtResetDevice(0);
}

/* One object per round that all threads go for; the counters say how often one of them got it. */
static void *_Atomic objects[ROUNDS_MAX];
static _Atomic unsigned gained[ROUNDS_MAX];
static _Atomic unsigned mistakes;

static void destroy_tensors(int thread)
{
    (void)thread;
    for (int i = 0; i < rounds; i++) {
        meet((unsigned)i);
        if (aclDestroyTensor((aclTensor *)objects[i]) == 0)
            atomic_fetch_add(&gained[i], 1);
    }
}

static void of_several_threads_that_destroy_a_tensor_one_succeeds(void **state)
{
    (void)state;
    for (int i = 0; i < rounds; i++) {
        objects[i] = create_floats(1, memory);
        gained[i] = 0;
    }
    run_together(destroy_tensors);
    for (int i = 0; i < rounds; i++)
        assert_int_equal(gained[i], 1);
}

/* Two lists share every tensor, and a third thread destroys the tensors themselves. */
static void destroy_lists(int thread)
{
    for (int i = 0; i + 1 < rounds; i += 2) {
        if (thread < 2 && aclDestroyTensorList((aclTensorList *)objects[i]) == 0)
            atomic_fetch_add(&gained[i], 1);
        else if (thread == 2)
            (void)aclDestroyTensor((aclTensor *)objects[i + 1]);
    }
}

static void lists_and_their_elements_may_be_destroyed_at_once(void **state)
{
    (void)state;
    for (int i = 0; i + 1 < rounds; i += 2) {
        const aclTensor *tensor = create_floats(1, memory);
        objects[i + 1] = (void *)(uintptr_t)tensor;
        objects[i] = aclCreateTensorList(&tensor, 1);
        gained[i] = 0;
    }
    run_together(destroy_lists);
    for (int i = 0; i + 1 < rounds; i += 2) {
        assert_int_equal(gained[i], 1);
        assert_false(tensor_address((aclTensor *)objects[i + 1], &(void *){NULL}));
    }
}

static aclOpExecutor *create_executor(aclTensor *from, aclTensor *to)
{
    struct copy_plan plan = {.count = COUNT};
    struct executor_request request = copy_request(from, to, &plan);
    uint64_t workspace;
    aclOpExecutor *executor = NULL;
    (void)executor_create(&request, &workspace, &executor);
    return executor;
}

static void run_executors(int thread)
{
    (void)thread;
    for (int i = 0; i < rounds; i++) {
        meet((unsigned)i);
        aclnnStatus status = executor_launch(&copy_operation, NULL, 0, (aclOpExecutor *)objects[i], NULL);
        if (status == 0)
            atomic_fetch_add(&gained[i], 1);
        else if (status != 161002)
            atomic_fetch_add(&mistakes, 1);
    }
}

static void of_several_threads_that_run_an_executor_one_succeeds(void **state)
{
    (void)state;
    aclTensor *from = create_floats(COUNT, memory);
    aclTensor *to = create_floats(COUNT, memory + COUNT);
    unsigned runs = copy_runs;
    mistakes = 0;
    for (int i = 0; i < rounds; i++) {
        objects[i] = create_executor(from, to);
        gained[i] = 0;
    }
    run_together(run_executors);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    for (int i = 0; i < rounds; i++)
        assert_int_equal(gained[i], 1);
    assert_int_equal(mistakes, 0);
    assert_int_equal(copy_runs, runs + (unsigned)rounds);
    assert_int_equal(aclDestroyTensor(from), 0);
    assert_int_equal(aclDestroyTensor(to), 0);
}

static aclTensor *shared_from;
static aclTensor *shared_to;

/* One runs it, one destroys it, one changes it and its tensor. */
static void use_executors(int thread)
{
    for (int i = 0; i < rounds; i++) {
        meet((unsigned)i);
        aclOpExecutor *executor = (aclOpExecutor *)objects[i];
        aclnnStatus status = 0;
        if (thread == 0)
            status = executor_launch(&copy_operation, NULL, 0, executor, NULL);
        else if (thread == 1)
            status = aclDestroyAclOpExecutor(executor);
        else
            status = aclSetTensorAddr(executor, 0, shared_from, memory + i % 2);
        if (status == 0 && thread < 2)
            atomic_fetch_add(&gained[i], 1);
        if (status != 0 && status != (thread == 0 ? 161002 : 561000))
            atomic_fetch_add(&mistakes, 1);
        if (thread == 2)
            (void)aclSetAclOpExecutorRepeatable(executor);
    }
}

static void running_destroying_and_changing_an_executor_at_once_is_harmless(void **state)
{
    (void)state;
    shared_from = create_floats(COUNT, memory);
    shared_to = create_floats(COUNT, memory + COUNT);
    mistakes = 0;
    for (int i = 0; i < rounds; i++)
        objects[i] = create_executor(shared_from, shared_to);
    run_together(use_executors);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(mistakes, 0);
    for (int i = 0; i < rounds; i++)
        (void)aclDestroyAclOpExecutor((aclOpExecutor *)objects[i]);
    assert_int_equal(aclDestroyTensor(shared_from), 0);
    assert_int_equal(aclDestroyTensor(shared_to), 0);
}

/* Two shapes whose numbers all differ: a reader must see one of them and nothing between. */
static const int64_t few[] = {2, 3};
static const int64_t more[] = {5, 7, 11, 13};
static aclTensor *_Atomic changing;

static bool is_whole(const struct tensor_view *view)
{
    if (view->rank == 2)
        return view->shape[0] == 2 && view->shape[1] == 3 && view->stride[0] == 3 && view->count == 6 &&
               view->offset == 1 && view->reach == 6 && view->dtype == ACL_FLOAT && view->is_possible;
    return view->rank == 4 && view->shape[0] == 5 && view->shape[3] == 13 && view->stride[0] == 7 * 11 * 13 &&
           view->count == 5005 && view->offset == 2 && view->reach == 5006 && view->dtype == ACL_INT8 &&
           view->is_possible;
}

static void init_and_read(int thread)
{
    for (int i = 0; i < rounds * 10; i++) {
        struct tensor_view view;
        if (thread == 0 && i % 2)
            (void)aclInitTensor(changing, few, 2, ACL_FLOAT, NULL, 1, ACL_FORMAT_ND, few, 2, memory);
        else if (thread == 0)
            (void)aclInitTensor(changing, more, 4, ACL_INT8, NULL, 2, ACL_FORMAT_ND, more, 4, memory);
        else if (!tensor_read(changing, &view) || !is_whole(&view))
            atomic_fetch_add(&mistakes, 1);
        if (thread == 2 && aclSetRawTensorAddr(changing, memory) != 0)
            atomic_fetch_add(&mistakes, 1);
    }
}

static void a_reader_sees_a_description_whole_while_it_is_replaced(void **state)
{
    (void)state;
    mistakes = 0;
    changing = aclCreateTensor(few, 2, ACL_FLOAT, NULL, 1, ACL_FORMAT_ND, few, 2, memory);
    run_together(init_and_read);
    assert_int_equal(mistakes, 0);
    assert_int_equal(aclDestroyTensor(changing), 0);
}

static _Atomic int readers_left;

/* The offset that the tensor with a handle of this generation was created with. */
static _Atomic int64_t offset_of_generation[1 << 16];

static _Atomic int64_t *offset_of(const aclTensor *tensor)
{
    return &offset_of_generation[(uintptr_t)tensor >> HANDLE_INDEX_BITS & 0xffff];
}

/*
 * A reader that the system held back for long may find the entry of its tensor used again, for the tensor
 * 65,536 generations later. The entry is written before changing is, so that changing then is about as far
 * ahead.
 */
static bool was_overtaken(const aclTensor *tensor)
{
    uintptr_t ahead = ((uintptr_t)changing >> HANDLE_INDEX_BITS) - ((uintptr_t)tensor >> HANDLE_INDEX_BITS);
    return ahead > 0x8000;
}

/* Thread 0 destroys and creates in the same slot; a reader may miss the tensor, not read another one. */
static void recreate_and_read(int thread)
{
    if (thread == 0) {
        for (int64_t i = 0; atomic_load(&readers_left) > 0; i++) {
            (void)aclDestroyTensor(changing);
            aclTensor *next = aclCreateTensor(few, 2, ACL_FLOAT, NULL, i, ACL_FORMAT_ND, few, 2, memory);
            atomic_store(offset_of(next), i);
            changing = next;
        }
        return;
    }
    for (int i = 0; i < rounds * 20; i++) {
        struct tensor_view view;
        aclTensor *tensor = changing;
        if (tensor_read(tensor, &view) && view.offset != atomic_load(offset_of(tensor)) &&
            !was_overtaken(tensor))
            atomic_fetch_add(&mistakes, 1);
        /* To an address that no reader looks at; the tensor may be gone, or another one on its way. */
        if (thread == 2)
            (void)aclSetRawTensorAddr(tensor, memory);
    }
    atomic_fetch_sub(&readers_left, 1);
}

static void a_reader_never_sees_the_next_tensor_in_the_slot(void **state)
{
    (void)state;
    mistakes = 0;
    readers_left = THREADS - 1;
    changing = create_floats(1, memory);
    atomic_store(offset_of(changing), 0);
    run_together(recreate_and_read);
    assert_int_equal(mistakes, 0);
    assert_int_equal(aclDestroyTensor(changing), 0);
}

static aclIntArray *_Atomic shared_array;

static void recreate_and_read_arrays(int thread)
{
    static const int64_t ones[] = {1, 1, 1, 1, 1};
    static const int64_t twos[] = {2, 2};
    if (thread == 0) {
        for (int i = 0; atomic_load(&readers_left) > 0; i++) {
            aclIntArray *old = shared_array;
            (void)aclDestroyIntArray(old);
            shared_array = i % 2 ? aclCreateIntArray(ones, 5) : aclCreateIntArray(twos, 2);
        }
        return;
    }
    for (int i = 0; i < rounds * 5; i++) {
        int64_t values[5] = {0};
        uint64_t count;
        if (array_read(HANDLE_INT_ARRAY, shared_array, 0, 5, values, &count) &&
            !(count == 5 && values[0] == 1 && values[4] == 1) &&
            !(count == 2 && values[0] == 2 && values[1] == 2 && values[2] == 0))
            atomic_fetch_add(&mistakes, 1);
        (void)aclGetIntArraySize(shared_array, &count);
    }
    atomic_fetch_sub(&readers_left, 1);
}

static void a_reader_sees_an_array_whole_or_not_at_all(void **state)
{
    (void)state;
    mistakes = 0;
    readers_left = THREADS - 1;
    /* Alive, since readers may be through before the system lets the first thread create another one. */
    shared_array = aclCreateIntArray((const int64_t[]){2, 2}, 2);
    run_together(recreate_and_read_arrays);
    assert_int_equal(mistakes, 0);
    assert_int_equal(aclDestroyIntArray(shared_array), 0);
}

/* Both phases on many threads: every executor belongs to one of them. */
static void run_both_phases(int thread)
{
    (void)thread;
    for (int i = 0; i < rounds; i++) {
        aclTensor *from = create_floats(COUNT, memory);
        aclTensor *to = create_floats(COUNT, memory + COUNT);
        aclOpExecutor *executor = create_executor(from, to);
        if (executor_launch(&copy_operation, NULL, 0, executor, NULL) != 0)
            atomic_fetch_add(&mistakes, 1);
        if (aclDestroyTensor(from) != 0 || aclDestroyTensor(to) != 0)
            atomic_fetch_add(&mistakes, 1);
    }
}

static void independent_threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    mistakes = 0;
    unsigned runs = copy_runs;
    run_together(run_both_phases);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(mistakes, 0);
    assert_int_equal(copy_runs, runs + THREADS * (unsigned)rounds);
}

/* A tensor keeps the address of memory that others free and are given anew all the time. */
static _Atomic bool has_run;

static void use_what_may_be_free(int thread)
{
    static void *_Atomic block[THREADS];
    void *own;
    if (thread != 0) {
        if (aclrtMalloc(&own, COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST) != 0)
            atomic_fetch_add(&mistakes, 1);
        atomic_store(&block[thread], own);
        meet(0);
        while (!atomic_load(&has_run))
            if (aclrtFree(own) != 0 ||
                aclrtMalloc(&own, COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST) != 0)
                atomic_fetch_add(&mistakes, 1);
        (void)aclrtFree(own);
        return;
    }
    meet(0);
    aclTensor *late = create_floats(COUNT, atomic_load(&block[1]));
    aclTensor *from = create_floats(COUNT, memory);
    aclrtStream stream = NULL;
    if (aclrtCreateStream(&stream) != 0)
        atomic_fetch_add(&mistakes, 1);
    for (int i = 0; i < 60 * rounds; i++) {
        aclnnStatus status = executor_launch(&copy_operation, NULL, 0, create_executor(from, late), stream);
        if (status != 0 && status != 161002)
            atomic_fetch_add(&mistakes, 1);
    }
    atomic_store(&has_run, true);
    if ((aclrtDestroyStream(stream) | aclDestroyTensor(from) | aclDestroyTensor(late)) != 0)
        atomic_fetch_add(&mistakes, 1);
}

static void work_meets_memory_that_is_live_or_none(void **state)
{
    (void)state;
    atomic_store(&mistakes, 0);
    run_together(use_what_may_be_free);
    assert_int_equal(mistakes, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    rounds = times_effort(1000);
    rounds = rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX;
    const struct CMUnitTest tests[] = {
        TEST(of_several_threads_that_destroy_a_tensor_one_succeeds),
        TEST(lists_and_their_elements_may_be_destroyed_at_once),
        TEST(of_several_threads_that_run_an_executor_one_succeeds),
        TEST(running_destroying_and_changing_an_executor_at_once_is_harmless),
        TEST(a_reader_sees_a_description_whole_while_it_is_replaced),
        TEST(a_reader_never_sees_the_next_tensor_in_the_slot),
        TEST(a_reader_sees_an_array_whole_or_not_at_all),
        TEST(independent_threads_do_not_disturb_each_other),
        TEST(work_meets_memory_that_is_live_or_none),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
