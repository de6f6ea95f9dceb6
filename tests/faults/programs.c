/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whole programs, in the shapes that programs for the device have.
 */
#include "scenario.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

static bool begin(const char *configuration)
{
    if (!went_well(configuration != NULL ? CALL_FILE : CALL_RUNTIME, "aclInit", aclInit(configuration)))
        return false;
    world.is_initialised = true;
    if (!went_well(CALL_RUNTIME, "aclrtSetDevice", aclrtSetDevice(0)))
        return false;
    world.devices_set = 1;
    return went_well(CALL_QUEUEING, "aclrtCreateStream", aclrtCreateStream(&world.stream[0]));
}

static void sample(enum op op)
{
    if (begin(NULL))
        operate(op, world.stream[0], 8, 0);
}

static void leaky_relu(void)
{
    sample(LEAKY_RELU);
}

static void hardswish(void)
{
    sample(HARDSWISH);
}

static void silu(void)
{
    sample(SILU);
}

static void smooth_l1(void)
{
    sample(SMOOTH_L1);
}

/* Work that is split over threads and too long for the submitter. */
static void large_work(void)
{
    if (begin(NULL) && operate(LEAKY_RELU, world.stream[0], HOST_ELEMENTS, 0))
        operate(SMOOTH_L1, NULL, HOST_ELEMENTS, 4);
}

/* Two streams that wait for one another's events, in chains long enough for the rings to grow. */
static void streams_and_events(void)
{
    if (!begin(NULL) || !went_well(CALL_QUEUEING, "aclrtCreateStream", aclrtCreateStream(&world.stream[1])) ||
        !went_well(CALL_RUNTIME, "aclrtCreateEvent", aclrtCreateEvent(&world.event[0])) ||
        !went_well(CALL_RUNTIME, "aclrtCreateEventExWithFlag",
                   aclrtCreateEventExWithFlag(&world.event[1], ACL_EVENT_SYNC)) ||
        !operands_create(HOST_ELEMENTS, 0))
        return;
    uint64_t bytes = HOST_ELEMENTS * sizeof(float);
    for (int i = 0; i < 40; i++) {
        aclrtStream from = world.stream[i % 2], to = world.stream[1 - i % 2];
        if (!went_well(CALL_QUEUEING, "aclrtMemsetAsync",
                       aclrtMemsetAsync(world.device[0], bytes, i, bytes, from)) ||
            !went_well(CALL_QUEUEING, "aclrtRecordEvent", aclrtRecordEvent(world.event[i % 2], from)) ||
            !went_well(CALL_QUEUEING, "aclrtStreamWaitEvent", aclrtStreamWaitEvent(to, world.event[i % 2])))
            return;
    }
    if (!went_well(CALL_QUEUEING, "aclrtSynchronizeStream", aclrtSynchronizeStream(world.stream[0])) ||
        !went_well(CALL_QUEUEING, "aclrtSynchronizeEvent", aclrtSynchronizeEvent(world.event[1])) ||
        !went_well(CALL_RUNTIME, "aclrtMemcpy",
                   aclrtMemcpy(host_memory[0], bytes, world.device[0], bytes, ACL_MEMCPY_DEVICE_TO_HOST)))
        return;
    const unsigned char *result = (const unsigned char *)host_memory[0];
    for (uint64_t i = 0; i < bytes; i++)
        if (result[i] != 39)
            complain("streams and events: byte %llu is %d instead of 39", (unsigned long long)i, result[i]);
}

static _Atomic int callback_runs;

static void count_run(void *unused)
{
    (void)unused;
    callback_runs++;
}

static void callbacks(void)
{
    callback_runs = 0;
    if (!begin(NULL) || !went_well(CALL_RUNTIME, "aclrtSubscribeReport",
                                   aclrtSubscribeReport((uint64_t)pthread_self(), world.stream[0])))
        return;
    world.subscribed = world.stream[0];
    if (!went_well(CALL_QUEUEING, "aclrtLaunchHostFunc",
                   aclrtLaunchHostFunc(world.stream[0], count_run, NULL)) ||
        !went_well(CALL_QUEUEING, "aclrtLaunchCallback",
                   aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_BLOCK, world.stream[0])) ||
        !went_well(CALL_QUEUEING, "aclrtProcessReport", aclrtProcessReport(5000)) ||
        !went_well(CALL_QUEUEING, "aclrtLaunchCallback",
                   aclrtLaunchCallback(count_run, NULL, ACL_CALLBACK_NO_BLOCK, world.stream[0])) ||
        !went_well(CALL_QUEUEING, "aclrtProcessReport", aclrtProcessReport(5000)) ||
        !went_well(CALL_QUEUEING, "aclrtSynchronizeStream", aclrtSynchronizeStream(world.stream[0])))
        return;
    if (callback_runs != 3)
        complain("callbacks: %d ran instead of 3", (int)callback_runs);
}

static void copies(void)
{
    enum { PITCH = 512, WIDTH = 400, ROWS = 100 };
    if (!begin(NULL) ||
        !went_well(CALL_MEMORY, "aclrtMallocHost", aclrtMallocHost(&world.host[0], PITCH * ROWS)) ||
        !went_well(CALL_MEMORY, "aclrtMallocHost", aclrtMallocHost(&world.host[1], PITCH * ROWS)) ||
        !went_well(CALL_MEMORY, "aclrtMalloc",
                   aclrtMalloc(&world.device[0], PITCH * ROWS, ACL_MEM_MALLOC_NORMAL_ONLY)))
        return;
    memset(world.host[0], 7, PITCH * ROWS);
    memset(world.host[1], 0, PITCH * ROWS);
    if (!went_well(CALL_QUEUEING, "aclrtMemcpy2dAsync",
                   aclrtMemcpy2dAsync(world.device[0], PITCH, world.host[0], PITCH, WIDTH, ROWS,
                                      ACL_MEMCPY_HOST_TO_DEVICE, world.stream[0])) ||
        !went_well(CALL_QUEUEING, "aclrtMemsetAsync",
                   aclrtMemsetAsync(world.device[0], PITCH, 3, WIDTH, world.stream[0])) ||
        !went_well(CALL_QUEUEING, "aclrtMemcpyAsync",
                   aclrtMemcpyAsync(world.host[1], PITCH * ROWS, world.device[0], WIDTH,
                                    ACL_MEMCPY_DEVICE_TO_HOST, world.stream[0])) ||
        !went_well(CALL_QUEUEING, "aclrtSynchronizeStream", aclrtSynchronizeStream(world.stream[0])) ||
        !went_well(CALL_RUNTIME, "aclrtMemcpy2d",
                   aclrtMemcpy2d((unsigned char *)world.host[1] + PITCH, PITCH,
                                 (unsigned char *)world.device[0] + PITCH, PITCH, WIDTH, ROWS - 1,
                                 ACL_MEMCPY_DEVICE_TO_HOST)))
        return;
    const unsigned char *result = (const unsigned char *)world.host[1];
    for (int row = 0; row < ROWS; row++)
        if (result[row * PITCH] != (row == 0 ? 3 : 7) || result[row * PITCH + WIDTH] != 0)
            complain("copies: row %d is wrong", row);
}

static void lists(void)
{
    const int64_t dims[2] = {2, 4};
    const float floats[3] = {1, 2, 3};
    const bool bools[3] = {true, false, true};
    if (!begin(NULL) || !operands_create(8, 0))
        return;
    const aclTensor *members[4] = {world.tensor[0], world.tensor[1], world.tensor[2], world.tensor[3]};
    world.tensor_list[0] = aclCreateTensorList(members, 4);
    if (!was_made("aclCreateTensorList", world.tensor_list[0]))
        return;
    memset(world.tensor, 0, 4 * sizeof world.tensor[0]); /* they belong to the list now */
    world.int_array[0] = aclCreateIntArray(dims, 2);
    world.float_array[0] = aclCreateFloatArray(floats, 3);
    world.bool_array[0] = aclCreateBoolArray(bools, 3);
    double value = 1.5;
    aclScalar *scalar = aclCreateScalar(&value, ACL_DOUBLE);
    world.scalar[0] = scalar;
    if (!was_made("aclCreateIntArray", world.int_array[0]) ||
        !was_made("aclCreateFloatArray", world.float_array[0]) ||
        !was_made("aclCreateBoolArray", world.bool_array[0]) || !was_made("aclCreateScalar", scalar))
        return;
    world.scalar_list[0] = aclCreateScalarList((const aclScalar *const *)&scalar, 1);
    if (!was_made("aclCreateScalarList", world.scalar_list[0]))
        return;
    world.scalar[0] = NULL;
    int64_t *shape;
    uint64_t count;
    if (!went_well(CALL_GETTER, "aclGetViewShape", aclGetViewShape(members[0], &shape, &count)))
        return;
    free(shape);
    if (!went_well(CALL_GETTER, "aclGetViewStrides", aclGetViewStrides(members[0], &shape, &count)))
        return;
    free(shape);
    if (!went_well(CALL_GETTER, "aclGetStorageShape", aclGetStorageShape(members[0], &shape, &count)))
        return;
    free(shape);
}

static void repeatable(void)
{
    uint64_t workspace;
    if (!begin(NULL) || !operate(LEAKY_RELU, world.stream[0], HOST_ELEMENTS, 0) ||
        !operands_create(HOST_ELEMENTS, 4) ||
        !operator_prepare(LEAKY_RELU, 0, &workspace, &world.executor[0]) ||
        !went_well(CALL_PHASE_1, "aclSetAclOpExecutorRepeatable",
                   aclSetAclOpExecutorRepeatable(world.executor[0])))
        return;
    for (uint32_t i = 0; i < 3; i++)
        if (!went_well(CALL_PHASE_2, "phase 2",
                       operator_run(LEAKY_RELU, workspace, world.executor[0], world.stream[0])))
            return;
    if (!went_well(CALL_PHASE_2, "aclSetOutputTensorAddr",
                   aclSetOutputTensorAddr(world.executor[0], 0, world.tensor[3], world.device[7])) ||
        !went_well(CALL_PHASE_2, "phase 2",
                   operator_run(LEAKY_RELU, workspace, world.executor[0], world.stream[0])) ||
        !went_well(CALL_QUEUEING, "aclrtSynchronizeStream", aclrtSynchronizeStream(world.stream[0])))
        return;
    results_check(LEAKY_RELU, HOST_ELEMENTS, 4);
}

static void two_devices(void)
{
    if (!begin(NULL) || !operate(HARDSWISH, world.stream[0], 64, 0) ||
        !went_well(CALL_RUNTIME, "aclrtGetCurrentContext", aclrtGetCurrentContext(&world.home)) ||
        !went_well(CALL_RUNTIME, "aclrtSetDevice", aclrtSetDevice(1)))
        return;
    world.devices_set = 2;
    aclrtStream own;
    if (!operate(SILU, NULL, 64, 4) ||
        !went_well(CALL_RUNTIME, "aclrtCreateContext", aclrtCreateContext(&world.context, 1)) ||
        !went_well(CALL_QUEUEING, "aclrtCreateStream", aclrtCreateStream(&own)))
        return;
    /* The stream ends with its context. */
    went_well(CALL_QUEUEING, "aclrtSynchronizeDevice", aclrtSynchronizeDevice());
}

/* The output begins one element behind the gradient in the same block: the gradient must be copied first. */
static bool overlapping_create(int64_t count)
{
    const int64_t stride = 1;
    for (uint32_t i = 0; i < 4; i++) {
        went_well(CALL_CLEANUP, "aclDestroyTensor", aclDestroyTensor(world.tensor[i]));
        void *data = i == 3 ? (unsigned char *)world.device[0] + sizeof(float) : world.device[i];
        world.tensor[i] = aclCreateTensor(&count, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &count, 1, data);
        if (!was_made("aclCreateTensor", world.tensor[i]))
            return false;
    }
    return true;
}

/* A graph of two streams, with work that needs temporary memory, run twice. */
static void captured(void)
{
    enum { COUNT = 1000, STEPS = 20 };
    uint64_t workspace;
    if (!begin(NULL) || !went_well(CALL_QUEUEING, "aclrtCreateStream", aclrtCreateStream(&world.stream[1])) ||
        !went_well(CALL_RUNTIME, "aclrtCreateEvent", aclrtCreateEvent(&world.event[0])) ||
        !operands_create(COUNT + 1, 0) || !overlapping_create(COUNT) ||
        !went_well(CALL_RUNTIME, "aclmdlRICaptureBegin",
                   aclmdlRICaptureBegin(world.stream[0], ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)))
        return;
    world.captured = world.stream[0];
    for (int i = 0; i < STEPS; i++) {
        aclrtStream from = world.stream[i % 2], to = world.stream[1 - i % 2];
        if (!operator_prepare(LEAKY_RELU, 0, &workspace, &world.executor[0]))
            return;
        aclOpExecutor *executor = world.executor[0];
        world.executor[0] = NULL;
        if (!went_well(CALL_PHASE_2, "phase 2", operator_run(LEAKY_RELU, workspace, executor, from)) ||
            !went_well(CALL_RUNTIME, "aclrtRecordEvent", aclrtRecordEvent(world.event[0], from)) ||
            !went_well(CALL_RUNTIME, "aclrtStreamWaitEvent", aclrtStreamWaitEvent(to, world.event[0])))
            return;
    }
    int status = aclmdlRICaptureEnd(world.captured, &world.graph);
    if (went_well(CALL_RUNTIME, "aclmdlRICaptureEnd", status) &&
        went_well(CALL_QUEUEING, "aclmdlRIExecuteAsync",
                  aclmdlRIExecuteAsync(world.graph, world.stream[0])) &&
        went_well(CALL_QUEUEING, "aclmdlRIExecute", aclmdlRIExecute(world.graph, -1)))
        went_well(CALL_QUEUEING, "aclrtSynchronizeStream", aclrtSynchronizeStream(world.stream[0]));
}

static void overlap(void)
{
    enum { COUNT = 40000 };
    if (!begin(NULL) || !operands_create(COUNT + 1, 0))
        return;
    for (int i = 0; i <= COUNT; i++)
        host_memory[0][i] = (float)(i % 100 + 1);
    memset(host_memory[1], 0, sizeof host_memory[1]); /* 0 takes the slope */
    uint64_t bytes = (COUNT + 1) * sizeof(float);
    for (uint32_t i = 0; i < 2; i++)
        if (!went_well(CALL_RUNTIME, "aclrtMemcpy",
                       aclrtMemcpy(world.device[i], bytes, host_memory[i], bytes, ACL_MEMCPY_HOST_TO_DEVICE)))
            return;
    uint64_t workspace;
    if (!overlapping_create(COUNT))
        return;
    aclOpExecutor *executor;
    if (!operator_prepare(LEAKY_RELU, 0, &workspace, &executor) ||
        !went_well(CALL_PHASE_2, "phase 2", operator_run(LEAKY_RELU, workspace, executor, world.stream[0])) ||
        !went_well(CALL_QUEUEING, "aclrtSynchronizeStream", aclrtSynchronizeStream(world.stream[0])) ||
        !went_well(CALL_RUNTIME, "aclrtMemcpy",
                   aclrtMemcpy(host_memory[3], bytes, world.device[0], bytes, ACL_MEMCPY_DEVICE_TO_HOST)))
        return;
    for (int i = 0; i < COUNT; i++)
        if (!(host_memory[3][i + 1] == 0.25F * (float)(i % 100 + 1))) {
            complain("overlap: element %d is %g", i, (double)host_memory[3][i + 1]);
            return;
        }
}

/* aclInit reads a file, and the log writes one. */
static void configuration_and_log(void)
{
    setenv("ASCEND_GLOBAL_LOG_LEVEL", "1", 1);
    if (!begin(configuration_path))
        return;
    aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__, "a line of the program: %d", 1);
    operate(SMOOTH_L1, world.stream[0], 8, 0);
}

/* Blocks of all sizes, freed and used again, and more than one chunk. */
static void memory(void)
{
    static const uint64_t bytes[] = {1, 500, 70000, 3 << 20, 40 << 20, 512, 9 << 20, 1 << 20};
    if (!begin(NULL))
        return;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 8; i++) {
            if (!went_well(CALL_MEMORY, "aclrtMalloc",
                           aclrtMalloc(&world.device[i], bytes[i],
                                       i % 2 != 0 ? ACL_MEM_MALLOC_HUGE_ONLY : ACL_MEM_MALLOC_NORMAL_ONLY)) ||
                !went_well(CALL_RUNTIME, "aclrtMemset", aclrtMemset(world.device[i], bytes[i], 1, bytes[i])))
                return;
            world.registered = host_memory[4];
            void *mapped;
            if (!went_well(CALL_RUNTIME, "aclrtHostRegister",
                           aclrtHostRegister(host_memory[4], sizeof host_memory[4], ACL_HOST_REGISTER_MAPPED,
                                             &mapped))) {
                world.registered = NULL;
                return;
            }
            world.registered = NULL;
            went_well(CALL_CLEANUP, "aclrtHostUnregister", aclrtHostUnregister(host_memory[4]));
        }
        for (uint32_t i = 0; i < 8; i++) {
            went_well(CALL_CLEANUP, "aclrtFree", aclrtFree(world.device[i]));
            world.device[i] = NULL;
        }
    }
}

const struct scenario programs[] = {
    {"LeakyReluBackward sample", NULL, leaky_relu, NULL, NULL},
    {"HardswishBackward sample", NULL, hardswish, NULL, NULL},
    {"SiluBackward sample", NULL, silu, NULL, NULL},
    {"SmoothL1LossBackward sample", NULL, smooth_l1, NULL, NULL},
    {"large work", NULL, large_work, NULL, NULL},
    {"streams and events", NULL, streams_and_events, NULL, NULL},
    {"callbacks", NULL, callbacks, NULL, NULL},
    {"copies", NULL, copies, NULL, NULL},
    {"lists and arrays", NULL, lists, NULL, NULL},
    {"a repeatable executor", NULL, repeatable, NULL, NULL},
    {"two devices", NULL, two_devices, "BELAY_DEVICES", "2"},
    {"overlapping operands", NULL, overlap, NULL, NULL},
    {"a captured graph", NULL, captured, NULL, NULL},
    {"a captured graph, held back", NULL, captured, "BELAY_SCHEDULE", "lazy"},
    {"configuration and log", NULL, configuration_and_log, "ASCEND_PROCESS_LOG_PATH", scratch_folder},
    {"memory", NULL, memory, NULL, NULL},
    {"large work, lazy", NULL, large_work, "BELAY_SCHEDULE", "lazy"},
    {"overlapping operands, lazy", NULL, overlap, "BELAY_SCHEDULE", "lazy"},
    {"copies, random", NULL, copies, "BELAY_SCHEDULE", "random:7"},
};

const uint32_t program_count = sizeof programs / sizeof programs[0];
