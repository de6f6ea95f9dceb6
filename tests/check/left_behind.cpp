/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What programs leave behind: each mistake as it is made, and mended.
 *
 *   test_check_left_behind MISTAKE [mended]
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_silu.h"
#include "hccl/hccl.h"

namespace
{

bool is_mended;
aclrtStream stream;
void *data;
constexpr int64_t count = 1024;

void demand(int status, const char *what)
{
    if (status != 0) {
        std::fprintf(stderr, "%s returned %d\n", what, status);
        std::exit(3);
    }
}

__attribute__((noinline)) void *allocate(size_t bytes)
{
    void *block = nullptr;
    demand(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    return block;
}

/* Inlined always, so that each use is a place of its own in the program, however it is compiled. */
__attribute__((always_inline)) inline aclTensor *tensor()
{
    const int64_t stride = 1;
    return aclCreateTensor(&count, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &count, 1, data);
}

aclOpExecutor *prepare()
{
    uint64_t workspace = 0;
    aclOpExecutor *executor = nullptr;
    aclTensor *self = tensor(), *out = tensor();
    demand(aclnnSiluGetWorkspaceSize(self, out, &workspace, &executor), "aclnnSiluGetWorkspaceSize");
    aclDestroyTensor(self);
    aclDestroyTensor(out);
    return executor;
}

void run()
{
    demand(aclnnSilu(nullptr, 0, prepare(), stream), "aclnnSilu");
}

void memory()
{
    for (int i = 0; i < 3; i++) {
        void *block = allocate(1000);
        if (is_mended)
            aclrtFree(block);
    }
}

/* Also a second place, whose blocks are a group of their own. */
void memory_of_two_places()
{
    memory();
    void *block = nullptr;
    demand(aclrtMallocAlign32(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMallocAlign32");
    if (is_mended)
        aclrtFree(block);
}

void pinned_memory()
{
    void *block = nullptr;
    demand(aclrtMallocHost(&block, 4096), "aclrtMallocHost");
    if (is_mended)
        aclrtFreeHost(block);
}

void tensors()
{
    for (int i = 0; i < 100000; i++) {
        aclTensor *one = tensor();
        if (is_mended)
            aclDestroyTensor(one);
    }
}

void scalar()
{
    float value = 1;
    aclScalar *one = aclCreateScalar(&value, ACL_FLOAT);
    if (is_mended)
        aclDestroyScalar(one);
}

void int_array()
{
    const int64_t values[] = {1, 2};
    aclIntArray *array = aclCreateIntArray(values, 2);
    if (is_mended)
        aclDestroyIntArray(array);
}

/* Of a list that is left its tensors are left, too; one that is destroyed takes them along. */
void tensor_list()
{
    const aclTensor *elements[] = {tensor(), tensor()};
    aclTensorList *list = aclCreateTensorList(elements, 2);
    if (is_mended)
        aclDestroyTensorList(list);
}

void stream_left()
{
    aclrtStream other = nullptr;
    demand(aclrtCreateStream(&other), "aclrtCreateStream");
    if (is_mended)
        aclrtDestroyStream(other);
}

void event_left()
{
    aclrtEvent event = nullptr;
    demand(aclrtCreateEvent(&event), "aclrtCreateEvent");
    if (is_mended)
        aclrtDestroyEvent(event);
}

void context_left()
{
    aclrtContext own = nullptr, other = nullptr;
    aclrtGetCurrentContext(&own);
    demand(aclrtCreateContext(&other, 0), "aclrtCreateContext");
    aclrtSetCurrentContext(own);
    if (is_mended)
        aclrtDestroyContext(other);
}

void data_buffer()
{
    aclDataBuffer *buffer = aclCreateDataBuffer(data, 4);
    if (is_mended)
        aclDestroyDataBuffer(buffer);
}

void repeatable_executor()
{
    aclOpExecutor *executor = prepare();
    demand(aclSetAclOpExecutorRepeatable(executor), "aclSetAclOpExecutorRepeatable");
    for (int i = 0; i < 2; i++)
        demand(aclnnSilu(nullptr, 0, executor, stream), "aclnnSilu");
    demand(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    if (is_mended)
        aclDestroyAclOpExecutor(executor);
}

void first_phase_alone()
{
    aclOpExecutor *executor = prepare();
    if (is_mended) {
        demand(aclnnSilu(nullptr, 0, executor, stream), "aclnnSilu");
        demand(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    }
}

void reset_without_wait()
{
    run();
    run();
    if (is_mended)
        demand(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

void copy_without_wait()
{
    static float values[count];
    demand(aclrtMemsetAsync(data, sizeof values, 1, sizeof values, stream), "aclrtMemsetAsync");
    if (is_mended)
        demand(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
}

/* The size is one that a program may give, whatever phase 1 has asked for. */
void free_the_workspace()
{
    void *workspace = allocate(64);
    demand(aclnnSilu(workspace, 64, prepare(), stream), "aclnnSilu");
    if (is_mended)
        demand(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    demand(aclrtFree(workspace), "aclrtFree");
    demand(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

/* The program's own function is work, too, and may tell the program that what was before it has ended. */
void host_function()
{
    static std::promise<void> told;
    run();
    demand(aclrtLaunchHostFunc(
               stream, [](void *) { told.set_value(); }, nullptr),
           "aclrtLaunchHostFunc");
    if (is_mended)
        told.get_future().wait();
}

/* No mistake: nobody waits by a function of the library, and the stream stays. */
void told_by_a_function()
{
    is_mended = true;
    host_function();
    is_mended = false;
}

__attribute__((noinline)) void allocate_behind(size_t bytes)
{
    volatile char *room = static_cast<volatile char *>(__builtin_alloca(bytes));
    room[0] = 1;
    void *block = allocate(64);
    room[bytes - 1] = 1;
    demand(aclrtFree(block), "aclrtFree");
}

/* No mistake: a frame that is large once and small then, near the end of a stack. */
void room_on_the_stack()
{
    std::thread([] {
        demand(aclrtSetDevice(0), "aclrtSetDevice");
        allocate_behind(100000);
        allocate_behind(16);
        allocate_behind(5000);
    }).join();
}

void graph()
{
    aclmdlRI graph = nullptr;
    demand(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED), "aclmdlRICaptureBegin");
    run();
    demand(aclmdlRICaptureEnd(stream, &graph), "aclmdlRICaptureEnd");
    demand(aclmdlRIExecuteAsync(graph, stream), "aclmdlRIExecuteAsync");
    if (is_mended)
        demand(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

/* Work of one stream that the host waits for through another: no mistake. */
void wait_through_another_stream()
{
    aclrtStream other = nullptr;
    aclrtEvent event = nullptr;
    demand(aclrtCreateStream(&other), "aclrtCreateStream");
    demand(aclrtCreateEvent(&event), "aclrtCreateEvent");
    run();
    aclrtRecordEvent(event, stream);
    aclrtStreamWaitEvent(other, event);
    if (is_mended)
        demand(aclrtSynchronizeStream(other), "aclrtSynchronizeStream");
    aclrtDestroyEvent(event);
    aclrtDestroyStream(other);
}

/* A call fails, its status is thrown away, and the program goes on; mended, it does not fail. */
void unread_error()
{
    aclrtMemset(data, count * 4, 0, is_mended ? count * 4 : count * 4 + 1);
    run();
    demand(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

/* The last word on an error is that of whoever reads it, however late. */
void late_error()
{
    unread_error();
    aclGetRecentErrMsg();
}

/* Two communicators of one call are one place. */
void communicators()
{
    for (int i = 0; i < 2; i++) {
        int32_t device = 0;
        HcclComm one;
        demand(HcclCommInitAll(1, &device, &one), "HcclCommInitAll");
        if (is_mended)
            demand(HcclCommDestroy(one), "HcclCommDestroy");
    }
}

/* A message to oneself that is noted and never queued. */
void open_group()
{
    int32_t device = 0;
    HcclComm one;
    void *other = allocate(64);
    demand(HcclCommInitAll(1, &device, &one), "HcclCommInitAll");
    demand(HcclGroupStart(), "HcclGroupStart");
    demand(HcclSend(data, 16, HCCL_DATA_TYPE_FP32, 0, one, stream), "HcclSend");
    demand(HcclRecv(other, 16, HCCL_DATA_TYPE_FP32, 0, one, stream), "HcclRecv");
    if (is_mended) {
        demand(HcclGroupEnd(), "HcclGroupEnd");
        demand(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    }
    demand(HcclCommDestroy(one), "HcclCommDestroy");
    demand(aclrtFree(other), "aclrtFree");
}

struct mistake {
    const char *name;
    void (*commit)();
};

const mistake mistakes[] = {
    {"memory", memory},
    {"two_places", memory_of_two_places},
    {"pinned", pinned_memory},
    {"tensors", tensors},
    {"scalar", scalar},
    {"array", int_array},
    {"list", tensor_list},
    {"stream", stream_left},
    {"event", event_left},
    {"context", context_left},
    {"buffer", data_buffer},
    {"executor", repeatable_executor},
    {"communicator", communicators},
    {"group", open_group},
    {"first_phase", first_phase_alone},
    {"workspace", free_the_workspace},
    {"reset", reset_without_wait},
    {"copy", copy_without_wait},
    {"through", wait_through_another_stream},
    {"function", host_function},
    {"graph", graph},
    {"unread", unread_error},
    {"none_late", late_error},
    {"none_told", told_by_a_function},
    {"none_stack", room_on_the_stack},
};

/* The same without the reset and aclFinalize. */
bool begins_with_exit(const char *name)
{
    return std::strncmp(name, "exit_", 5) == 0;
}

} // namespace

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    bool only_exits = begins_with_exit(name);
    is_mended = argc > 2 && std::strcmp(argv[2], "mended") == 0;
    /* The function is not to run by itself before the end. */
    if (std::strcmp(name, "function") == 0 && !is_mended)
        setenv("BELAY_SCHEDULE", "lazy", 1);
    demand(aclInit(nullptr), "aclInit");
    demand(aclrtSetDevice(0), "aclrtSetDevice");
    demand(aclrtCreateStream(&stream), "aclrtCreateStream");
    data = allocate(count * 4);
    demand(aclrtMemset(data, count * 4, 0, count * 4), "aclrtMemset");
    bool is_known = false;
    for (const mistake &one : mistakes)
        if (std::strcmp(one.name, only_exits ? name + 5 : name) == 0) {
            one.commit();
            is_known = true;
        }
    if (!is_known)
        return 3;
    if (only_exits) {
        if (is_mended) {
            aclrtDestroyStream(stream);
            aclrtFree(data);
        }
        return 0;
    }
    /* The stream stays where destroying it, which waits, would hide that nobody has waited. */
    bool leaves_work = std::strcmp(name, "reset") == 0 || std::strcmp(name, "copy") == 0 ||
                       std::strcmp(name, "through") == 0 || std::strcmp(name, "function") == 0 ||
                       std::strcmp(name, "graph") == 0 || std::strcmp(name, "none_told") == 0;
    if (!leaves_work || is_mended) {
        demand(aclrtDestroyStream(stream), "aclrtDestroyStream");
        demand(aclrtFree(data), "aclrtFree");
    }
    demand(aclrtResetDevice(0), "aclrtResetDevice");
    demand(aclFinalize(), "aclFinalize");
    return 0;
}
