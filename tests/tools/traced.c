/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Programs whose timelines tests/tools/trace.py judges, one for each name on the line.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cat.h"
#include "hccl/hccl.h"
#include "mstx/ms_tools_ext.h"

enum { COUNT = 6, LARGE = 1 << 20 };

static void check(int status, const char *call)
{
    if (status == 0)
        return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "%s answers %d: %s\n", call, status, message ? message : "(no message)");
    exit(3);
}
#define CHECK(call) check((call), #call)

static void *allocate(size_t bytes)
{
    void *memory;
    CHECK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemset(memory, bytes, 0, bytes));
    return memory;
}

static aclrtStream create_stream(void)
{
    aclrtStream stream;
    CHECK(aclrtCreateStream(&stream));
    return stream;
}

/* Leaves numbers on the stack that whatever is not set there afterwards has. */
static __attribute__((noinline)) void soil_stack(void)
{
    volatile unsigned char stack[8192];
    for (size_t i = 0; i < sizeof stack; i++)
        stack[i] = 0x4B;
}

static aclrtEvent create_event(void)
{
    aclrtEvent event;
    CHECK(aclrtCreateEvent(&event));
    return event;
}

static aclTensor *tensor_of(void *memory, int64_t rows, int64_t columns)
{
    const int64_t shape[] = {rows, columns}, stride[] = {columns, 1};
    return aclCreateTensor(shape, 2, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, shape, 2, memory);
}

/* out = self + other, of rows x 3 elements. */
static void add(void *self, void *other, void *out, int64_t rows, aclrtStream stream)
{
    float one = 1;
    aclTensor *self_tensor = tensor_of(self, rows, 3), *other_tensor = tensor_of(other, rows, 3),
              *out_tensor = tensor_of(out, rows, 3);
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    uint64_t bytes;
    aclOpExecutor *executor;
    CHECK(aclnnAddGetWorkspaceSize(self_tensor, other_tensor, alpha, out_tensor, &bytes, &executor));
    soil_stack();
    CHECK(aclnnAdd(NULL, 0, executor, stream));
    aclDestroyTensor(self_tensor);
    aclDestroyTensor(other_tensor);
    aclDestroyTensor(out_tensor);
    aclDestroyScalar(alpha);
}

/* One of each: copies in all directions, blocking and not, of one and two dimensions, sets, lists. */
static void everything(void)
{
    char host[64] = {0};
    void *pinned, *device = allocate(COUNT * sizeof(float)), *other = allocate(2 * COUNT * sizeof(float));
    aclrtStream stream = create_stream();
    CHECK(aclrtMallocHost(&pinned, 64));
    CHECK(aclrtMemcpy(device, 24, host, 24, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(host, 20, device, 20, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(aclrtMemcpyAsync(device, 16, pinned, 16, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(aclrtMemcpyAsync(other, 12, device, 12, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    CHECK(aclrtMemcpyAsync(host, 8, device, 8, ACL_MEMCPY_DEVICE_TO_HOST, stream)); /* at once */
    CHECK(aclrtMemcpy2dAsync(other, 8, pinned, 16, 4, 3, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(aclrtMemcpy2d(host, 16, device, 8, 4, 2, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(aclrtMemsetAsync(device, 24, 0, 24, stream));
    add(device, device, device, 2, stream);
    CHECK(aclrtSynchronizeStream(stream));
    add(device, device, device, 2, NULL);
    CHECK(aclrtSynchronizeStream(NULL));

    aclTensor *tensors[] = {tensor_of(device, 2, 3), tensor_of(device, 2, 3)};
    aclTensorList *list = aclCreateTensorList((const aclTensor *const *)tensors, 2);
    aclTensor *out = tensor_of(other, 4, 3);
    uint64_t bytes;
    aclOpExecutor *executor;
    CHECK(aclnnCatGetWorkspaceSize(list, 0, out, &bytes, &executor));
    CHECK(aclnnCat(NULL, 0, executor, stream));
    CHECK(aclrtSynchronizeStream(stream));
    aclDestroyTensorList(list);
    aclDestroyTensor(out);
    CHECK(aclrtFree(device));
    CHECK(aclrtFree(other));
    CHECK(aclrtFreeHost(pinned));
    CHECK(aclrtDestroyStream(stream));
}

static atomic_bool is_released;

static void hold(void *unused)
{
    (void)unused;
    while (!atomic_load(&is_released))
        usleep(100);
}

/* A second stream waits for a first one that is busy, and a third for the second. */
static void waits(void)
{
    aclrtStream first = create_stream(), second = create_stream(), third = create_stream();
    aclrtEvent event = create_event(), later = create_event();
    float *memory = allocate(3 * LARGE * sizeof(float));
    CHECK(aclrtLaunchHostFunc(first, hold, NULL));
    add(memory, memory, memory, LARGE, first);
    add(memory, memory, memory, LARGE, first);
    CHECK(aclrtRecordEvent(event, first));
    CHECK(aclrtStreamWaitEvent(second, event));
    add(memory, memory, memory, 2, second);
    CHECK(aclrtRecordEvent(later, second));
    CHECK(aclrtStreamWaitEvent(third, later));
    add(memory, memory, memory, 2, third);
    atomic_store(&is_released, true);
    CHECK(aclrtSynchronizeDevice());
}

static atomic_int called;

static void count_call(void *unused)
{
    (void)unused;
    uint64_t free_bytes, total_bytes;
    aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total_bytes); /* a call within the callback */
    atomic_fetch_add(&called, 1);
}

static void *process(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "say \"\\\xe9\n\"");
    CHECK(aclrtSetDevice(0));
    while (atomic_load(&called) < 4)
        aclrtProcessReport(10);
    return NULL;
}

/* Callbacks of both kinds on a thread of the program, host functions on one of the library. */
static void callbacks(void)
{
    pthread_t thread;
    aclrtStream stream = create_stream();
    pthread_create(&thread, NULL, process, NULL);
    CHECK(aclrtSubscribeReport((uint64_t)thread, stream));
    CHECK(aclrtLaunchCallback(count_call, NULL, ACL_CALLBACK_BLOCK, stream));
    CHECK(aclrtLaunchCallback(count_call, NULL, ACL_CALLBACK_NO_BLOCK, stream));
    CHECK(aclrtLaunchHostFunc(stream, count_call, NULL));
    CHECK(aclrtLaunchHostFunc(stream, count_call, NULL));
    CHECK(aclrtSynchronizeStream(stream));
    pthread_join(thread, NULL);
}

/* A graph of two streams, run three times. */
static void graph(void)
{
    aclrtStream stream = create_stream(), other = create_stream();
    aclrtEvent fork_event = create_event(), join_event = create_event();
    void *memory = allocate(1024);
    aclmdlRI recorded;
    CHECK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    add(memory, memory, memory, 2, stream);
    CHECK(aclrtRecordEvent(fork_event, stream));
    CHECK(aclrtStreamWaitEvent(other, fork_event));
    add(memory, memory, memory, 3, other);
    CHECK(aclrtRecordEvent(join_event, other));
    CHECK(aclrtStreamWaitEvent(stream, join_event));
    CHECK(aclmdlRICaptureEnd(stream, &recorded));
    for (int i = 0; i < 3; i++)
        CHECK(aclmdlRIExecuteAsync(recorded, stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclmdlRIDestroy(recorded));
}

static void *work_on(void *device)
{
    CHECK(aclrtSetDevice(*(const int32_t *)device));
    void *memory = allocate(1024);
    aclrtStream stream = create_stream();
    for (int i = 0; i < 10; i++)
        add(memory, memory, memory, 2, stream);
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtFree(memory));
    return NULL;
}

/* A thread for each of two devices; and many threads one behind the other. */
static void devices(void)
{
    const int32_t numbers[] = {0, 1};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work_on, (void *)&numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 100; i++) {
        pthread_create(&thread[0], NULL, work_on, (void *)&numbers[0]);
        pthread_join(thread[0], NULL);
    }
}

/* More records than a chunk holds: calls that repeat one another. */
static void *work_long(void *stream)
{
    float one = 1;
    CHECK(aclrtSetDevice(0));
    aclTensor *tensor = tensor_of(allocate(1024), 2, 3);
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    for (int i = 0; i < 5000; i++) {
        uint64_t bytes;
        aclOpExecutor *executor;
        CHECK(aclnnAddGetWorkspaceSize(tensor, tensor, alpha, tensor, &bytes, &executor));
        CHECK(aclnnAdd(NULL, 0, executor, *(aclrtStream *)stream));
    }
    return NULL;
}

static void many(void)
{
    pthread_t thread[2];
    aclrtStream stream[] = {create_stream(), create_stream()};
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work_long, &stream[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    CHECK(aclrtSynchronizeDevice());
}

/* Ends as the name says, with work done before. */
static void end(const char *how)
{
    void *memory = allocate(1024);
    aclrtStream stream = create_stream();
    add(memory, memory, memory, 2, stream);
    CHECK(aclrtSynchronizeStream(stream));
    if (strcmp(how, "exit") == 0)
        _exit(7);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
}

static atomic_bool is_about_to_wait;

/* Whether the process's first thread sleeps, as in a wait of the library. */
static bool first_thread_sleeps(void)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
    FILE *file = fopen(path, "r");
    const bool is_read = file != NULL && fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
    if (file != NULL)
        fclose(file);
    return is_read && state == 'S';
}

static void kill_process(void *stream)
{
    work_long(stream);
    while (!atomic_load(&is_about_to_wait) || !first_thread_sleeps())
        usleep(1000);
    usleep(100000);
    raise(SIGKILL);
}

/* Is killed while a stream waits for an event, a host function that has done much runs and the host waits. */
static void hang(void)
{
    aclrtStream first = create_stream(), second = create_stream(), third = create_stream();
    aclrtEvent event = create_event();
    CHECK(aclrtLaunchHostFunc(first, kill_process, &third));
    CHECK(aclrtRecordEvent(event, first));
    CHECK(aclrtStreamWaitEvent(second, event));
    atomic_store(&is_about_to_wait, true);
    CHECK(aclrtSynchronizeStream(second));
}

/* The thread sanitizer does not survive the end of a thread in the child of a fork. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREADS_END_IN_CHILDREN 0
#endif
#endif
#ifndef THREADS_END_IN_CHILDREN
#define THREADS_END_IN_CHILDREN 1
#endif

/* Collectives of two ranks, and a message. */
static void collectives(void)
{
    static const uint64_t counts[] = {2, 2}, apart[] = {0, 3}, close[] = {0, 2};
    int32_t devices[] = {0, 1};
    HcclComm comms[2];
    aclrtStream streams[2];
    void *from[2], *to[2];
    CHECK((int)HcclCommInitAll(2, devices, comms));
    for (int32_t rank = 0; rank < 2; rank++) {
        CHECK(aclrtSetDevice(rank));
        streams[rank] = create_stream();
        from[rank] = allocate(24);
        to[rank] = allocate(24);
        CHECK((int)HcclAllReduce(from[rank], to[rank], 6, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[rank],
                                 streams[rank]));
        CHECK((int)HcclBarrier(comms[rank], streams[rank]));
        CHECK((int)HcclAlltoAllV(from[rank], counts, apart, HCCL_DATA_TYPE_FP32, to[rank], counts, close,
                                 HCCL_DATA_TYPE_FP32, comms[rank], streams[rank]));
    }
    CHECK((int)HcclSend(from[0], 2, HCCL_DATA_TYPE_FP32, 1, comms[0], streams[0]));
    CHECK((int)HcclRecv(to[1], 2, HCCL_DATA_TYPE_FP32, 0, comms[1], streams[1]));
    for (int32_t rank = 0; rank < 2; rank++) {
        CHECK(aclrtSynchronizeStream(streams[rank]));
        CHECK((int)HcclCommDestroy(comms[rank]));
    }
    CHECK(aclrtResetDevice(1));
    CHECK(aclrtSetDevice(0));
}

/* Marks of all kinds, an operator between those of a stream; ranges that overlap, and end on another thread.
 */
static void *end_range(void *range)
{
    mstxRangeEnd(*(const mstxRangeId *)range);
    return NULL;
}

static void marks(void)
{
    void *memory = allocate(1024), *stamp = aclprofCreateStamp();
    aclrtStream stream = create_stream();
    mstxDomainHandle_t domain = mstxDomainCreateA("a \"domain\"");
    pthread_t thread;
    mstxMarkA("a mark, \"quoted\"", NULL);
    mstxRangeId first = mstxRangeStartA("first", stream);
    mstxRangeId second = mstxDomainRangeStartA(domain, "second", NULL);
    add(memory, memory, memory, 2, stream);
    mstxRangeEnd(first);
    pthread_create(&thread, NULL, end_range, &second);
    pthread_join(thread, NULL);
    mstxDomainMarkA(domain, "in the stream", stream);
    CHECK(aclprofSetStampTraceMessage(stamp, "pushed", 6));
    CHECK(aclprofPush(stamp));
    CHECK(aclprofMarkEx("ex", 2, stream));
    CHECK(aclprofPop());
    CHECK(aclrtSynchronizeStream(stream));
    mstxDomainDestroy(domain);
    aclprofDestroyStamp(stamp);
    CHECK(aclrtFree(memory));
    CHECK(aclrtDestroyStream(stream));
}

/* A graph that was recorded before the profile, and an operator that repeats one from before. */
static void *graph_memory;
static aclrtStream graph_stream;
static aclmdlRI recorded_graph;

static void record_graph(void)
{
    graph_memory = allocate(1024);
    graph_stream = create_stream();
    add(graph_memory, graph_memory, graph_memory, 4, graph_stream);
    CHECK(aclmdlRICaptureBegin(graph_stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    add(graph_memory, graph_memory, graph_memory, 2, graph_stream);
    add(graph_memory, graph_memory, graph_memory, 3, graph_stream);
    CHECK(aclmdlRICaptureEnd(graph_stream, &recorded_graph));
    CHECK(aclmdlRIExecuteAsync(recorded_graph, graph_stream));
    CHECK(aclrtSynchronizeStream(graph_stream));
}

/* An executor that was prepared, and ran, before the profile; its tensors are gone. */
static aclOpExecutor *prepared;

static void prepare(void)
{
    float one = 1;
    aclTensor *tensor = tensor_of(graph_memory, 5, 3);
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    uint64_t bytes;
    CHECK(aclnnInplaceAddGetWorkspaceSize(tensor, tensor, alpha, &bytes, &prepared));
    CHECK(aclSetAclOpExecutorRepeatable(prepared));
    CHECK(aclnnInplaceAdd(NULL, 0, prepared, graph_stream));
    aclDestroyTensor(tensor);
    aclDestroyScalar(alpha);
}

static void replay(void)
{
    for (int i = 0; i < 2; i++)
        CHECK(aclmdlRIExecuteAsync(recorded_graph, graph_stream));
    add(graph_memory, graph_memory, graph_memory, 4, graph_stream);
    CHECK(aclnnInplaceAdd(NULL, 0, prepared, graph_stream));
    CHECK(aclrtSynchronizeStream(graph_stream));
}

static void nothing(void)
{
}

static void (*const profiled[])(void) = {everything, marks, replay, collectives, nothing, devices, replay};

/* A profile of each of these, in FOLDER/0, FOLDER/1 and so on. */
static void profile(const char *folder)
{
    char path[512];
    uint32_t devices_of_all[] = {0, 1};
    record_graph();
    prepare();
    for (size_t i = 0; i < sizeof profiled / sizeof profiled[0]; i++) {
        int length = snprintf(path, sizeof path, "%s/%zu", folder, i);
        aclprofConfig *config =
            aclprofCreateConfig(devices_of_all, 2, ACL_AICORE_NONE, NULL,
                                ACL_PROF_ACL_API | ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX);
        CHECK(aclprofInit(path, (size_t)length));
        CHECK(aclprofStart(config));
        profiled[i]();
        CHECK(aclprofStop(config));
        CHECK(aclprofFinalize());
        CHECK(aclprofDestroyConfig(config));
        add(graph_memory, graph_memory, graph_memory, 2, graph_stream); /* in none of them */
        CHECK(aclrtSynchronizeStream(graph_stream));
    }
    CHECK(aclDestroyAclOpExecutor(prepared));
    CHECK(aclmdlRIDestroy(recorded_graph));
}

/* What a fork leaves: a child in which nothing works, on a thread that ends. */
static void *fork_here(void *child)
{
    CHECK(aclrtSetDevice(0));
    *(pid_t *)child = fork();
    bool works = *(pid_t *)child == 0 && aclrtSetDevice(0) == 0;
    if (works || (*(pid_t *)child == 0 && !THREADS_END_IN_CHILDREN))
        _exit(works);
    return NULL;
}

/* Forked children, which may not use the library, and then another program. */
static void forks(const char *program)
{
    end("return");
    pthread_t thread;
    pid_t child;
    int status;
    fork_here(&child);
    if (child == 0)
        _exit(0);
    waitpid(child, &status, 0);
    CHECK(status);
    pthread_create(&thread, NULL, fork_here, &child);
    pthread_join(thread, NULL);
    waitpid(child, &status, 0);
    CHECK(status);
    execl(program, program, "everything", (char *)NULL);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "nothing") == 0)
        return 0;
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    if (strcmp(name, "everything") == 0)
        everything();
    else if (strcmp(name, "waits") == 0)
        waits();
    else if (strcmp(name, "callbacks") == 0)
        callbacks();
    else if (strcmp(name, "graph") == 0)
        graph();
    else if (strcmp(name, "devices") == 0)
        devices();
    else if (strcmp(name, "collectives") == 0)
        collectives();
    else if (strcmp(name, "many") == 0)
        many();
    else if (strcmp(name, "marks") == 0)
        marks();
    else if (strcmp(name, "profile") == 0 && argc > 2)
        profile(argv[2]);
    else if (strcmp(name, "hang") == 0)
        hang();
    else if (strcmp(name, "forks") == 0)
        forks(argv[0]);
    else
        end(name);
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
