/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Single calls of the runtime: each public function that can ask the system for something, as the first call
 * of a process or where it needs more of something than there is.
 */
#include "scenario.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_op_compiler.h"
#include "aclnn/aclnn_base.h"
#include "world.h"

/* The first chunk of every handle table holds as many objects. */
enum { FIRST_CHUNK = 64 };

static void set_device(void)
{
    if (went_well(CALL_RUNTIME, "aclrtSetDevice", aclrtSetDevice(0)))
        world.devices_set = 1;
}

static void create_stream(void)
{
    went_well(CALL_QUEUEING, "aclrtCreateStream", aclrtCreateStream(&world.stream[0]));
}

static void set_device_and_stream(void)
{
    set_device();
    create_stream();
}

static void create_context(void)
{
    went_well(CALL_RUNTIME, "aclrtCreateContext", aclrtCreateContext(&world.context, 0));
}

static void get_device_count(void)
{
    uint32_t count;
    went_well(CALL_RUNTIME, "aclrtGetDeviceCount", aclrtGetDeviceCount(&count));
}

static void init(void)
{
    if (went_well(CALL_RUNTIME, "aclInit", aclInit(NULL)))
        world.is_initialised = true;
}

static void init_with_file(void)
{
    if (went_well(CALL_FILE, "aclInit", aclInit(configuration_path)))
        world.is_initialised = true;
}

static void finalize(void)
{
    went_well(CALL_CLEANUP, "aclFinalize", aclFinalize());
    world.is_initialised = false;
}

static void aclnn_init(void)
{
    went_well(CALL_PHASE_2, "aclnnInit", aclnnInit(NULL));
}

/* Streams until the table is full up to its first chunk: the default stream of the context is one of them. */
static void streams_until_growth(void)
{
    set_device();
    for (uint32_t i = 1; i < FIRST_CHUNK; i++)
        went_well(CALL_QUEUEING, "aclrtCreateStream", aclrtCreateStream(&world.stream[i]));
}

static void create_stream_with_config(void)
{
    went_well(CALL_QUEUEING, "aclrtCreateStreamWithConfig",
              aclrtCreateStreamWithConfig(&world.stream[0], 0, ACL_STREAM_FAST_LAUNCH));
}

static void create_stream_from_configuration(void)
{
    world.configuration = aclrtCreateStreamConfigHandle();
    if (was_made("aclrtCreateStreamConfigHandle", world.configuration))
        went_well(CALL_QUEUEING, "aclrtCreateStreamV2",
                  aclrtCreateStreamV2(&world.stream[0], world.configuration));
}

static void events_until_growth(void)
{
    set_device();
    for (uint32_t i = 1; i <= FIRST_CHUNK; i++)
        went_well(CALL_RUNTIME, "aclrtCreateEvent", aclrtCreateEvent(&world.event[i]));
}

static void create_event(void)
{
    went_well(CALL_RUNTIME, "aclrtCreateEvent", aclrtCreateEvent(&world.event[0]));
}

static void create_event_with_flag(void)
{
    went_well(CALL_RUNTIME, "aclrtCreateEventWithFlag",
              aclrtCreateEventWithFlag(&world.event[0], ACL_EVENT_SYNC));
}

static void create_event_ex(void)
{
    went_well(CALL_RUNTIME, "aclrtCreateEventExWithFlag",
              aclrtCreateEventExWithFlag(&world.event[0], ACL_EVENT_SYNC));
}

static void stream_and_event(void)
{
    set_device_and_stream();
    create_event();
    went_well(CALL_QUEUEING, "aclrtCreateStream", aclrtCreateStream(&world.stream[1]));
}

static void record_event(void)
{
    went_well(CALL_QUEUEING, "aclrtRecordEvent", aclrtRecordEvent(world.event[0], world.stream[0]));
}

static void reset_event(void)
{
    went_well(CALL_QUEUEING, "aclrtResetEvent", aclrtResetEvent(world.event[0], world.stream[0]));
}

static void do_nothing(void *unused)
{
    (void)unused;
}

/* The event stays pending: under the lazy schedule nothing runs before somebody waits. */
static void pending_event(void)
{
    stream_and_event();
    record_event();
}

static void stream_wait_event(void)
{
    went_well(CALL_QUEUEING, "aclrtStreamWaitEvent", aclrtStreamWaitEvent(world.stream[1], world.event[0]));
}

static void stream_wait_event_with_timeout(void)
{
    went_well(CALL_QUEUEING, "aclrtStreamWaitEventWithTimeout",
              aclrtStreamWaitEventWithTimeout(world.stream[1], world.event[0], 100));
}

static void subscribe(void)
{
    if (went_well(CALL_RUNTIME, "aclrtSubscribeReport",
                  aclrtSubscribeReport((uint64_t)pthread_self(), world.stream[0])))
        world.subscribed = world.stream[0];
}

static void subscribe_host_function(void)
{
    uint64_t self = (uint64_t)pthread_self();
    if (went_well(CALL_RUNTIME, "aclrtSubscribeHostFunc", aclrtSubscribeHostFunc(self, world.stream[0])))
        went_well(CALL_CLEANUP, "aclrtUnSubscribeHostFunc", aclrtUnSubscribeHostFunc(self, world.stream[0]));
}

static void subscribed_stream(void)
{
    set_device_and_stream();
    subscribe();
}

static void launch_callback(void)
{
    if (went_well(CALL_QUEUEING, "aclrtLaunchCallback",
                  aclrtLaunchCallback(do_nothing, NULL, ACL_CALLBACK_NO_BLOCK, world.stream[0])))
        went_well(CALL_CLEANUP, "aclrtProcessReport", aclrtProcessReport(5000));
}

static void launch_host_function(void)
{
    went_well(CALL_QUEUEING, "aclrtLaunchHostFunc", aclrtLaunchHostFunc(world.stream[0], do_nothing, NULL));
}

static void device_block(void)
{
    set_device_and_stream();
    went_well(CALL_MEMORY, "aclrtMalloc", aclrtMalloc(&world.device[0], 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    went_well(CALL_MEMORY, "aclrtMallocHost", aclrtMallocHost(&world.host[0], 4096));
}

static void memcpy_async(void)
{
    went_well(CALL_QUEUEING, "aclrtMemcpyAsync",
              aclrtMemcpyAsync(world.device[0], 4096, world.host[0], 4096, ACL_MEMCPY_HOST_TO_DEVICE,
                               world.stream[0]));
}

static void memcpy_2d_async(void)
{
    went_well(CALL_QUEUEING, "aclrtMemcpy2dAsync",
              aclrtMemcpy2dAsync(world.device[0], 64, world.host[0], 64, 32, 16, ACL_MEMCPY_HOST_TO_DEVICE,
                                 world.stream[0]));
}

static void memset_async(void)
{
    went_well(CALL_QUEUEING, "aclrtMemsetAsync",
              aclrtMemsetAsync(world.device[0], 4096, 1, 4096, world.stream[0]));
}

/* The stream's ring is full up to its first size. */
static void full_ring(void)
{
    device_block();
    for (int i = 0; i < 32; i++)
        memset_async();
}

static void malloc_device(void)
{
    went_well(CALL_MEMORY, "aclrtMalloc", aclrtMalloc(&world.device[0], 100, ACL_MEM_MALLOC_HUGE_FIRST));
}

static void malloc_large(void)
{
    went_well(CALL_MEMORY, "aclrtMalloc", aclrtMalloc(&world.device[0], 64 << 20, ACL_MEM_MALLOC_HUGE_ONLY));
}

static void malloc_align_32(void)
{
    went_well(CALL_MEMORY, "aclrtMallocAlign32",
              aclrtMallocAlign32(&world.device[0], 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
}

static void malloc_cached(void)
{
    went_well(CALL_MEMORY, "aclrtMallocCached",
              aclrtMallocCached(&world.device[0], 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
}

static void malloc_with_configuration(void)
{
    went_well(CALL_MEMORY, "aclrtMallocWithCfg",
              aclrtMallocWithCfg(&world.device[0], 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
}

static void malloc_for_scheduler(void)
{
    went_well(CALL_MEMORY, "aclrtMallocForTaskScheduler",
              aclrtMallocForTaskScheduler(&world.device[0], 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST, NULL));
}

static void malloc_host(void)
{
    went_well(CALL_MEMORY, "aclrtMallocHost", aclrtMallocHost(&world.host[0], 1 << 20));
}

static void malloc_host_with_configuration(void)
{
    went_well(CALL_MEMORY, "aclrtMallocHostWithCfg", aclrtMallocHostWithCfg(&world.host[0], 1 << 20, NULL));
}

static void large_block(void)
{
    set_device();
    malloc_large();
}

static void free_and_reset(void)
{
    went_well(CALL_CLEANUP, "aclrtFree", aclrtFree(world.device[0]));
    world.device[0] = NULL;
    went_well(CALL_CLEANUP, "aclrtResetDevice", aclrtResetDevice(0));
    world.devices_set = 0;
}

/* More than the reservation holds: such blocks are mapped one by one. */
static void malloc_beyond_reservation(void)
{
    for (uint32_t i = 0; i < 4; i++)
        if (!went_well(CALL_MEMORY, "aclrtMallocHost", aclrtMallocHost(&world.host[i], UINT64_C(3) << 30)))
            return;
}

static void get_memory_info(void)
{
    size_t free_bytes, total;
    went_well(CALL_RUNTIME, "aclrtGetMemInfo", aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total));
}

static void get_cache_size(void)
{
    int64_t value;
    went_well(CALL_RUNTIME, "aclGetDeviceCapability",
              aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value));
}

static void get_version(void)
{
    /* Without a toolkit folder there is nothing to read; what matters is that nothing is lost. */
    char package[] = "runtime", version[128];
    int code = aclsysGetVersionStr(package, version);
    if (code != 100003 && code != 200000 && code != 0 && code != 100000)
        complain("aclsysGetVersionStr returned %d", code);
}

/* A failure in a process in which nothing else has happened: where does its sentence go? */
static void failing_call(void)
{
    int code = aclrtSetDevice(1000);
    if (code != 107001 && code != 200000)
        complain("aclrtSetDevice(1000) returned %d", code);
    if (aclGetRecentErrMsg() == NULL)
        complain("aclrtSetDevice(1000) recorded no sentence");
}

static void application_log(void)
{
    aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__, "a line of the program");
}

static void synchronize(void)
{
    went_well(CALL_QUEUEING, "aclrtSynchronizeStream", aclrtSynchronizeStream(world.stream[0]));
}

static void synchronize_device(void)
{
    went_well(CALL_QUEUEING, "aclrtSynchronizeDevice", aclrtSynchronizeDevice());
}

/* All of it in one scenario, so that what one call has made is there when the next one fails. */
static void map_memory(void)
{
    const aclrtPhysicalMemProp prop = {.memAttr = ACL_HBM_MEM_HUGE,
                                       .location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
    const size_t bytes = (size_t)2 << 20;
    void *base;
    aclrtDrvMemHandle handle;
    if (!went_well(CALL_MEMORY, "aclrtReserveMemAddress",
                   aclrtReserveMemAddress(&base, 2 * bytes, 0, NULL, 0)))
        return;
    if (went_well(CALL_MEMORY, "aclrtMallocPhysical", aclrtMallocPhysical(&handle, bytes, &prop, 0))) {
        if (went_well(CALL_RUNTIME, "aclrtMapMem", aclrtMapMem(base, bytes, 0, handle, 0)))
            went_well(CALL_CLEANUP, "aclrtUnmapMem", aclrtUnmapMem(base));
        went_well(CALL_CLEANUP, "aclrtFreePhysical", aclrtFreePhysical(handle));
    }
    went_well(CALL_CLEANUP, "aclrtReleaseMemAddress", aclrtReleaseMemAddress(base));
}

static void set_compile_option(void)
{
    went_well(CALL_RUNTIME, "aclSetCompileopt", aclSetCompileopt(ACL_OP_JIT_COMPILE, "enable"));
}

static void create_attributes(void)
{
    aclopAttr *attributes = aclopCreateAttr();
    if (was_made("aclopCreateAttr", attributes))
        aclopDestroyAttr(attributes);
}

static aclTensorDesc *described;

static void describe_tensor(void)
{
    described = aclCreateTensorDesc(ACL_FLOAT, 0, NULL, ACL_FORMAT_ND);
}

static void create_operator_handle(void)
{
    const aclTensorDesc *const desc = described;
    aclopAttr *attributes = aclopCreateAttr();
    aclopHandle *handle;
    if (!was_made("aclopCreateAttr", attributes))
        return;
    if (went_well(CALL_RUNTIME, "aclopCreateHandle",
                  aclopCreateHandle("Identity", 1, &desc, 1, &desc, attributes, &handle)))
        aclopDestroyHandle(handle);
    aclopDestroyAttr(attributes);
}

const struct scenario runtime_calls[] = {
    FIRST("aclInit", init),
    FIRST("aclInit with a file", init_with_file),
    AFTER("aclFinalize", init, finalize),
    FIRST("aclnnInit", aclnn_init),
    FIRST("aclrtGetDeviceCount", get_device_count),
    FIRST("aclrtSetDevice", set_device),
    FIRST("aclrtCreateContext", create_context),
    FIRST("a failing call", failing_call),
    FIRST("aclsysGetVersionStr", get_version),
    {"aclsysGetVersionStr with a toolkit", NULL, get_version, "ASCEND_HOME_PATH", "/"},
    {"aclAppLog to a file", NULL, application_log, "ASCEND_PROCESS_LOG_PATH", scratch_folder},
    {"a failing call with a log file", NULL, failing_call, "ASCEND_PROCESS_LOG_PATH", scratch_folder},
    AFTER("aclrtCreateStream", set_device, create_stream),
    AFTER("aclrtCreateStream beyond the first chunk", streams_until_growth, create_stream),
    AFTER("aclrtCreateStreamWithConfig", set_device, create_stream_with_config),
    AFTER("aclrtCreateStreamV2", set_device, create_stream_from_configuration),
    AFTER("aclrtCreateEvent", set_device, create_event),
    AFTER("aclrtCreateEvent beyond the first chunk", events_until_growth, create_event),
    AFTER("aclrtCreateEventWithFlag", set_device, create_event_with_flag),
    AFTER("aclrtCreateEventExWithFlag", set_device, create_event_ex),
    LAZY("aclrtRecordEvent", stream_and_event, record_event),
    LAZY("aclrtResetEvent", stream_and_event, reset_event),
    LAZY("aclrtStreamWaitEvent", pending_event, stream_wait_event),
    LAZY("aclrtStreamWaitEventWithTimeout", pending_event, stream_wait_event_with_timeout),
    AFTER("aclrtSubscribeReport", set_device_and_stream, subscribe),
    AFTER("aclrtSubscribeHostFunc", set_device_and_stream, subscribe_host_function),
    AFTER("aclrtLaunchCallback", subscribed_stream, launch_callback),
    AFTER("aclrtLaunchHostFunc", set_device_and_stream, launch_host_function),
    LAZY("aclrtMemcpyAsync", device_block, memcpy_async),
    LAZY("aclrtMemcpy2dAsync", device_block, memcpy_2d_async),
    LAZY("aclrtMemsetAsync", device_block, memset_async),
    LAZY("aclrtMemsetAsync on a full ring", full_ring, memset_async),
    LAZY("aclrtSynchronizeStream", full_ring, synchronize),
    LAZY("aclrtSynchronizeDevice", full_ring, synchronize_device),
    AFTER("aclrtMalloc", set_device, malloc_device),
    AFTER("aclrtMalloc of much", set_device, malloc_large),
    AFTER("aclrtMallocAlign32", set_device, malloc_align_32),
    AFTER("aclrtMallocCached", set_device, malloc_cached),
    AFTER("aclrtMallocWithCfg", set_device, malloc_with_configuration),
    AFTER("aclrtMallocForTaskScheduler", set_device, malloc_for_scheduler),
    AFTER("aclrtMallocHost", set_device, malloc_host),
    AFTER("aclrtMallocHostWithCfg", set_device, malloc_host_with_configuration),
    AFTER("aclrtMallocHost beyond the reservation", set_device, malloc_beyond_reservation),
    AFTER("aclrtFree and aclrtResetDevice", large_block, free_and_reset),
    AFTER("memory that is mapped", set_device, map_memory),
    FIRST("aclSetCompileopt", set_compile_option),
    FIRST("aclopCreateAttr", create_attributes),
    AFTER("aclopCreateHandle", describe_tensor, create_operator_handle),
    AFTER("aclrtGetMemInfo", set_device, get_memory_info),
    AFTER("aclGetDeviceCapability", set_device, get_cache_size),
};

const uint32_t runtime_call_count = sizeof runtime_calls / sizeof runtime_calls[0];
