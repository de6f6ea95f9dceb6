/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Threads that draw calls without regard for one another: handles of every kind are shared and may be
 * destroyed by any thread at any moment. Only crashes, hangs, leaks of threads and reports of a sanitizer are
 * faults; in the end the library must do its work as in the beginning.
 *
 *   race_api THREADS SECONDS [SEED]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "support/release.h"

enum { SHARED = 8, THREADS_MOST = 32, COUNT = 40, HANG_SECONDS = 60 };

typedef _Atomic(void *) shared_handle;

/* What all threads draw from. */
static shared_handle tensors[SHARED], scalars[SHARED], executors[SHARED], streams[SHARED], events[SHARED],
    contexts[SHARED], lists[SHARED], blocks[SHARED];

/* Streams that captures begin on, the events between them, and graphs: apart, so that no capture reaches a
 * thread's own stream, whose memory a run would share. */
static shared_handle recorded[SHARED], marks[SHARED], graphs[SHARED], groups[SHARED], cells[SHARED];
static _Atomic bool may_end;
static _Atomic unsigned calls;

struct thread {
    pthread_t id;
    uint64_t state;
    void *memory[3]; /* its own, so that results do not race */
    aclTensor *tensor[3];
    aclScalar *slope;
    aclrtStream stream;
};

static uint32_t draw(struct thread *thread, uint32_t count)
{
    thread->state = thread->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(thread->state >> 33) % count;
}

static void *pick(struct thread *thread, shared_handle *table)
{
    return atomic_load(&table[draw(thread, SHARED)]);
}

/* Puts a handle in and gives back what was there, which then is the caller's alone to end, or half the time
 * stays known to others. */
static void *put(struct thread *thread, shared_handle *table, void *handle)
{
    return atomic_exchange(&table[draw(thread, SHARED)], handle);
}

static void nap(void *unused)
{
    (void)unused;
    nanosleep(&(struct timespec){0, 20000}, NULL);
}

static void be_called(void *unused)
{
    (void)unused;
    atomic_fetch_add(&calls, 1);
}

static aclTensor *make_tensor(struct thread *thread, void *memory)
{
    int64_t dims[2] = {(int64_t)draw(thread, 3), COUNT / 4}, strides[2] = {COUNT / 4, 1};
    return aclCreateTensor(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 2, memory);
}

/* An operator on the thread's own memory and stream; others may only make the stream wait for an event. */
static void run_own(struct thread *thread)
{
    aclrtStream stream = thread->stream;
    uint64_t size;
    aclOpExecutor *executor;
    if (aclnnLeakyReluBackwardGetWorkspaceSize(thread->tensor[0], thread->tensor[1], thread->slope, false,
                                               thread->tensor[2], &size, &executor) != 0)
        return;
    if (draw(thread, 4) == 0) {
        (void)aclSetAclOpExecutorRepeatable(executor);
        (void)aclnnLeakyReluBackward(NULL, 0, executor, stream);
        (void)aclDestroyAclOpExecutor(executor);
    } else {
        (void)aclnnLeakyReluBackward(NULL, 0, executor, stream);
    }
    /* Or its next use of the memory would race with this one; waiting needs a context. */
    (void)aclrtSetDevice(0);
    if (aclrtSynchronizeStream(stream) != 0)
        abort();
    (void)aclrtResetDevice(0);
}

/* Phase 1 and phase 2 of tensors and executors that others change and destroy; without memory nothing runs.
 */
static void run_shared(struct thread *thread)
{
    uint64_t size;
    aclOpExecutor *executor = NULL;
    aclTensor *tensor = (aclTensor *)pick(thread, tensors);
    if (aclnnSiluBackwardGetWorkspaceSize((aclTensor *)pick(thread, tensors), tensor, tensor, &size,
                                          &executor) == 0)
        (void)aclDestroyAclOpExecutor((aclOpExecutor *)put(thread, executors, executor));
    executor = (aclOpExecutor *)pick(thread, executors);
    switch (draw(thread, 4)) {
    case 0:
        (void)aclSetAclOpExecutorRepeatable(executor);
        break;
    case 1:
        (void)aclSetTensorAddr(executor, draw(thread, 4), tensor, NULL);
        break;
    case 2:
        (void)aclDestroyAclOpExecutor(executor);
        break;
    default:
        (void)aclnnSiluBackward(NULL, 0, executor, pick(thread, streams));
    }
}

static void use_tensors(struct thread *thread)
{
    int64_t *shape;
    uint64_t count;
    float value = 1;
    aclTensor *tensor = (aclTensor *)pick(thread, tensors);
    switch (draw(thread, 7)) {
    case 0:
        (void)aclDestroyTensor((aclTensor *)put(thread, tensors, make_tensor(thread, NULL)));
        break;
    case 1:
        (void)aclDestroyTensor(tensor);
        break;
    case 2: {
        int64_t dims[3] = {1, 2, (int64_t)draw(thread, 5)};
        (void)aclInitTensor(tensor, dims, draw(thread, 4), ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, NULL, 0,
                            NULL);
        break;
    }
    case 3:
        if (aclGetViewStrides(tensor, &shape, &count) == 0)
            release_array(shape);
        break;
    case 4:
        (void)aclDestroyScalar((aclScalar *)put(thread, scalars, aclCreateScalar(&value, ACL_FLOAT)));
        break;
    case 5: {
        const aclTensor *elements[2] = {tensor, (const aclTensor *)pick(thread, tensors)};
        (void)aclDestroyTensorList((aclTensorList *)put(thread, lists, aclCreateTensorList(elements, 2)));
        break;
    }
    default:
        (void)aclGetTensorListSize((aclTensorList *)pick(thread, lists), &count);
        (void)aclSetDynamicInputTensorAddr((aclOpExecutor *)pick(thread, executors), 0, draw(thread, 3),
                                           (aclTensorList *)pick(thread, lists), NULL);
    }
}

static void use_streams(struct thread *thread)
{
    aclrtStream stream = pick(thread, streams), made = NULL;
    aclrtStreamStatus status;
    switch (draw(thread, 9)) {
    case 0:
        if (aclrtCreateStream(&made) == 0)
            (void)aclrtDestroyStream(put(thread, streams, made));
        break;
    case 1:
        (void)aclrtDestroyStreamForce(stream);
        break;
    case 2:
        (void)aclrtDestroyStream(stream);
        break;
    case 3:
        (void)aclrtLaunchHostFunc(stream, draw(thread, 2) ? nap : be_called, NULL);
        break;
    case 4:
        (void)aclrtSynchronizeStreamWithTimeout(stream, 1);
        break;
    case 5:
        (void)aclrtStreamQuery(stream, &status);
        break;
    case 6:
        (void)aclrtStreamAbort(stream);
        break;
    case 7:
        if (aclrtSubscribeReport((uint64_t)pthread_self(), stream) == 0) {
            (void)aclrtLaunchCallback(be_called, NULL, (aclrtCallbackBlockType)draw(thread, 2), stream);
            (void)aclrtProcessReport(1);
            (void)aclrtUnSubscribeReport((uint64_t)pthread_self(), stream);
        }
        break;
    default:
        run_own(thread);
    }
}

static void use_events(struct thread *thread)
{
    aclrtEvent event = pick(thread, events), made = NULL;
    float ms;
    switch (draw(thread, 7)) {
    case 0:
        if (aclrtCreateEvent(&made) == 0)
            (void)aclrtDestroyEvent(put(thread, events, made));
        break;
    case 1:
        (void)aclrtDestroyEvent(event);
        break;
    case 2:
        (void)aclrtRecordEvent(event, pick(thread, streams));
        break;
    case 3:
        (void)aclrtStreamWaitEvent(draw(thread, 8) ? pick(thread, streams) : thread->stream, event);
        break;
    case 4:
        (void)aclrtSynchronizeEventWithTimeout(event, 1);
        break;
    case 5:
        (void)aclrtResetEvent(event, pick(thread, streams));
        break;
    default:
        (void)aclrtEventElapsedTime(&ms, event, pick(thread, events));
    }
}

/* A capture of a mode that forbids other threads something ends at once. */
static void record_whole(struct thread *thread)
{
    aclrtStream stream = pick(thread, recorded);
    aclmdlRI graph = NULL;
    if (aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) != 0)
        return;
    for (uint32_t i = draw(thread, 4); i > 0; i--)
        (void)aclrtLaunchHostFunc(stream, be_called, NULL);
    (void)aclmdlRICaptureTaskGrpBegin(stream);
    (void)aclrtLaunchHostFunc(stream, be_called, NULL);
    aclrtTaskGrp group = NULL;
    if (aclmdlRICaptureTaskGrpEnd(stream, &group) == 0)
        (void)put(thread, groups, group);
    if (aclmdlRICaptureEnd(stream, &graph) == 0)
        (void)aclmdlRIDestroy(put(thread, graphs, graph));
}

/* Others may do the same on the same stream, or with the same group. */
static void update_group(struct thread *thread)
{
    aclrtStream stream = pick(thread, draw(thread, 2) ? streams : recorded);
    if (aclmdlRICaptureTaskUpdateBegin(stream, pick(thread, groups)) != 0)
        return;
    for (uint32_t i = draw(thread, 4) == 0 ? 2 : 1; i > 0; i--)
        (void)aclrtLaunchHostFunc(stream, be_called, NULL);
    (void)aclmdlRICaptureTaskUpdateEnd(stream);
}

static void use_graphs(struct thread *thread)
{
    aclrtStream stream = pick(thread, recorded), made = NULL;
    aclrtEvent mark = NULL;
    void *cell = NULL;
    aclmdlRI graph = pick(thread, graphs);
    aclmdlRICaptureStatus status;
    uint32_t id;
    switch (draw(thread, 15)) {
    case 0:
        if (aclrtCreateStream(&made) == 0)
            (void)aclrtDestroyStream(put(thread, recorded, made));
        if (aclrtCreateEvent(&mark) == 0)
            (void)aclrtDestroyEvent(put(thread, marks, mark));
        if (aclrtMalloc(&cell, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0)
            (void)aclrtFree(put(thread, cells, cell));
        break;
    case 1:
        (void)aclmdlRICaptureBegin(stream, draw(thread, 2) ? ACL_MODEL_RI_CAPTURE_MODE_RELAXED
                                                           : ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
        break;
    case 2:
        if (aclmdlRICaptureEnd(stream, &graph) == 0)
            (void)aclmdlRIDestroy(put(thread, graphs, graph));
        break;
    case 3:
        record_whole(thread);
        break;
    case 4:
    case 5:
        (void)aclmdlRIExecuteAsync(graph, pick(thread, draw(thread, 4) ? streams : recorded));
        break;
    case 6:
        (void)aclmdlRIExecute(graph, 1);
        break;
    case 7:
        (void)aclmdlRIDestroy(graph);
        break;
    case 8:
        (void)aclrtRecordEvent(pick(thread, marks), stream);
        break;
    case 9:
        (void)aclrtStreamWaitEvent(stream, pick(thread, marks));
        break;
    case 10:
        (void)aclrtLaunchHostFunc(stream, be_called, NULL);
        /* It is met: a write would race with who still reads the block that a freed cell has become. */
        (void)aclrtValueWait(pick(thread, cells), 0, ACL_STREAM_WAIT_VALUE_NOR, stream);
        break;
    case 11:
        (void)aclmdlRICaptureGetInfo(stream, &status, &graph);
        (void)aclmdlRIGetId(graph, &id);
        (void)aclmdlRIDebugPrint(graph);
        break;
    case 12:
        (void)aclrtSynchronizeStreamWithTimeout(stream, 1);
        (void)aclrtSynchronizeEventWithTimeout(pick(thread, marks), 1);
        break;
    case 13:
        update_group(thread);
        break;
    default:
        (void)(draw(thread, 2) ? aclrtStreamAbort(stream) : aclrtDestroyStreamForce(stream));
    }
}

static void use_the_rest(struct thread *thread)
{
    void *made = NULL;
    char bytes[64] = {0};
    switch (draw(thread, 8)) {
    case 0:
        if (aclrtCreateContext(&made, 0) == 0)
            (void)aclrtDestroyContext(put(thread, contexts, made));
        (void)aclrtSetCurrentContext(pick(thread, contexts));
        break;
    case 1:
        (void)aclrtDestroyContext(pick(thread, contexts));
        break;
    case 2:
        (void)aclrtSetDevice(0);
        (void)aclrtResetDevice(0);
        (void)aclrtSetDevice(1);
        (void)aclrtResetDevice(1);
        break;
    case 3:
        if (aclrtMalloc(&made, (size_t)64 << draw(thread, 17), ACL_MEM_MALLOC_HUGE_FIRST) == 0)
            (void)aclrtFree(put(thread, blocks, made));
        break;
    case 4:
        (void)aclrtFree(pick(thread, blocks));
        break;
    case 5:
        (void)aclrtMemsetAsync(pick(thread, blocks), 64, 1, 0, pick(thread, streams));
        (void)aclrtMemcpyAsync(bytes, 64, pick(thread, blocks), 1 + draw(thread, 9), ACL_MEMCPY_DEFAULT,
                               NULL);
        break;
    case 6:
        (void)aclrtSynchronizeDeviceWithTimeout(1);
        break;
    default:
        (void)aclInit(NULL);
        (void)aclFinalizeReference(NULL);
        (void)aclGetRecentErrMsg();
    }
}

static int open_thread(struct thread *thread)
{
    const float half = 0.5F;
    int64_t dims = COUNT;
    int status = aclrtSetDevice(0) | aclrtCreateStream(&thread->stream);
    for (int i = 0; i < 3; i++) {
        status |= aclrtMallocHost(&thread->memory[i], COUNT * sizeof(float));
        thread->tensor[i] =
            aclCreateTensor(&dims, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &dims, 1, thread->memory[i]);
    }
    thread->slope = aclCreateScalar((void *)(uintptr_t)&half, ACL_FLOAT);
    return status;
}

static void *run_thread(void *argument)
{
    static void (*const uses[])(struct thread *) = {run_shared,  use_tensors, use_streams,
                                                    use_streams, use_streams, use_events,
                                                    use_graphs,  use_graphs,  use_the_rest};
    struct thread *thread = (struct thread *)argument;
    if (open_thread(thread) != 0)
        abort();
    while (!atomic_load(&may_end)) {
        uses[draw(thread, sizeof uses / sizeof uses[0])](thread);
        if (draw(thread, 16) == 0)
            (void)aclrtSetDevice(0), (void)aclrtResetDevice(0),
                (void)aclrtSetCurrentContext(pick(thread, contexts));
        alarm(HANG_SECONDS); /* any thread that still moves puts off the end; one that hangs shows in join */
    }
    return NULL;
}

#define CHECK(condition)                                                                               \
    do {                                                                                               \
        if (!(condition)) {                                                                            \
            const char *sentence = aclGetRecentErrMsg();                                               \
            fprintf(stderr, "not so: %s\n%.500s\n", #condition, sentence ? sentence : "(no message)"); \
            return 1;                                                                                  \
        }                                                                                              \
    } while (0)

int main(int argument_count, char **arguments)
{
    static struct thread thread[THREADS_MOST];
    int threads = argument_count > 1 ? atoi(arguments[1]) : 8;
    int seconds = argument_count > 2 ? atoi(arguments[2]) : 5;
    uint64_t seed = argument_count > 3 ? strtoull(arguments[3], NULL, 10) : 1;
    setenv("BELAY_DEVICES", "2", 1);
    if (threads < 1 || threads > THREADS_MOST || aclrtSetDevice(0) != 0)
        return 2;
    for (int i = 0; i < threads; i++) {
        thread[i].state = seed * 1000003 + (uint64_t)i;
        if (pthread_create(&thread[i].id, NULL, run_thread, &thread[i]) != 0)
            return 2;
    }
    nanosleep(&(struct timespec){seconds, 0}, NULL);
    atomic_store(&may_end, true);
    alarm(HANG_SECONDS);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i].id, NULL);
    /* After all that: one operator, whose result is looked at. */
    struct thread *own = &thread[0];
    float in[COUNT], out[COUNT];
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)(i - 20);
    /* Ends what threads lost the handles of, with the work and the memory. */
    (void)aclrtSetDevice(0);
    CHECK(aclrtResetDeviceForce(0) == 0);
    size_t left, total;
    CHECK(aclrtSetDevice(0) == 0);
    CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total) == 0 && left == total);
    CHECK(open_thread(own) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(aclrtMemcpy(own->memory[i], sizeof in, in, sizeof in, ACL_MEMCPY_DEFAULT) == 0);
    run_own(own);
    CHECK(aclrtMemcpy(out, sizeof out, own->memory[2], sizeof out, ACL_MEMCPY_DEFAULT) == 0);
    for (int i = 0; i < COUNT; i++)
        CHECK(out[i] == (in[i] > 0 ? in[i] : in[i] * 0.5F));
    printf("%d threads, %d s, %u callbacks, no fault\n", threads, seconds, atomic_load(&calls));
    return 0;
}
