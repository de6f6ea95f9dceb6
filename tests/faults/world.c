/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a scenario holds, the judgement of codes, and a whole use of each operator with exact results.
 */
#include "world.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"

struct world world;
float host_memory[6][HOST_ELEMENTS];
char complaint[512];
uint32_t calls_failed;

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (complaint[0] == '\0')
        vsnprintf(complaint, sizeof complaint, format, arguments);
    va_end(arguments);
}

static bool is_allowed(enum family family, int code)
{
    static const int allowed[][4] = {
        [CALL_RUNTIME] = {200000},          [CALL_MEMORY] = {200000, 207001},
        [CALL_QUEUEING] = {200000, 207005}, [CALL_FILE] = {200000, 100000, 100003},
        [CALL_PHASE_1] = {561101, 361001},  [CALL_PHASE_2] = {361001},
        [CALL_GETTER] = {561000, 361001},   [CALL_CLEANUP] = {0},
    };
    for (int i = 0; i < 4; i++)
        if (allowed[family][i] == code)
            return true;
    return false;
}

static void check_sentence(const char *call)
{
    const char *message = aclGetRecentErrMsg();
    if (message == NULL || message[0] == '\0')
        complain("%s failed and recorded no sentence", call);
}

bool went_well(enum family family, const char *call, int code)
{
    if (code == 0)
        return true;
    calls_failed++;
    if (!is_allowed(family, code)) {
        const char *message = aclGetRecentErrMsg();
        complain("%s returned %d: %.300s", call, code, message != NULL ? message : "no sentence");
    } else {
        check_sentence(call);
    }
    return false;
}

bool was_made(const char *call, const void *object)
{
    if (object != NULL)
        return true;
    calls_failed++;
    check_sentence(call);
    return false;
}

/* The call only if there is something to destroy, which is forgotten. */
#define END(member, call)                                      \
    do {                                                       \
        if ((member) != NULL) {                                \
            went_well(CALL_CLEANUP, #call, (int)call(member)); \
            (member) = NULL;                                   \
        }                                                      \
    } while (0)

static void end_objects(void)
{
    for (uint32_t i = 0; i < SMALL; i++) {
        END(world.executor[i], aclDestroyAclOpExecutor);
        END(world.tensor_list[i], aclDestroyTensorList);
        END(world.scalar_list[i], aclDestroyScalarList);
        END(world.scalar[i], aclDestroyScalar);
        END(world.int_array[i], aclDestroyIntArray);
        END(world.float_array[i], aclDestroyFloatArray);
        END(world.bool_array[i], aclDestroyBoolArray);
        END(world.buffer[i], aclDestroyDataBuffer);
        if (world.description[i] != NULL)
            aclDestroyTensorDesc(world.description[i]);
        world.description[i] = NULL;
    }
    for (uint32_t i = 0; i < TENSORS; i++)
        END(world.tensor[i], aclDestroyTensor);
}

void world_end(void)
{
    if (world.home != NULL)
        went_well(CALL_CLEANUP, "aclrtSetCurrentContext", aclrtSetCurrentContext(world.home));
    world.home = NULL;
    if (world.subscribed != NULL)
        went_well(CALL_CLEANUP, "aclrtUnSubscribeReport",
                  aclrtUnSubscribeReport((uint64_t)pthread_self(), world.subscribed));
    world.subscribed = NULL;
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    if (world.captured != NULL)
        went_well(CALL_CLEANUP, "aclmdlRICaptureGetInfo",
                  aclmdlRICaptureGetInfo(world.captured, &status, NULL));
    if (status != ACL_MODEL_RI_CAPTURE_STATUS_NONE)
        aclmdlRICaptureEnd(world.captured, &world.graph); /* refused where something is lost */
    world.captured = NULL;
    END(world.graph, aclmdlRIDestroy);
    for (uint32_t i = 0; i < STREAMS; i++)
        if (world.stream[i] != NULL)
            went_well(CALL_CLEANUP, "aclrtSynchronizeStream", aclrtSynchronizeStream(world.stream[i]));
    end_objects();
    END(world.configuration, aclrtDestroyStreamConfigHandle);
    for (uint32_t i = 0; i < STREAMS; i++)
        END(world.stream[i], aclrtDestroyStream);
    for (uint32_t i = 0; i < EVENTS; i++)
        END(world.event[i], aclrtDestroyEvent);
    END(world.registered, aclrtHostUnregister);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        END(world.device[i], aclrtFree);
        END(world.host[i], aclrtFreeHost);
    }
    END(world.context, aclrtDestroyContext);
    while (world.devices_set > 0)
        went_well(CALL_CLEANUP, "aclrtResetDevice", aclrtResetDevice(--world.devices_set));
    if (world.is_initialised)
        went_well(CALL_CLEANUP, "aclFinalize", aclFinalize());
    world.is_initialised = false;
}

/* Four elements that repeat, with results that are exact: numerics is tested elsewhere. */
static const float gradient[4] = {2, -3, 0.5F, 8};
static const float target[4] = {0, 0, 0, 0};
static const struct {
    float self[4];
    float result[4];
} exact[OPS] = {
    [LEAKY_RELU] = {{1, -1, 4, -2}, {2, -0.75F, 0.5F, 2}}, /* slope 0.25 */
    [HARDSWISH] = {{0, 4, -4, 5}, {1, -3, 0, 8}},
    [SILU] = {{0, 1000, 0, 2000}, {1, -3, 0.25F, 8}},
    [SMOOTH_L1] = {{0.5F, 2, -3, -0.25F}, {1, -3, -0.5F, -2}}, /* beta 1, reduction none */
};

static void fill(float *to, const float *pattern, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = pattern[i % 4];
}

static bool block_create(uint32_t index, uint64_t bytes)
{
    return went_well(CALL_MEMORY, "aclrtMalloc",
                     aclrtMalloc(&world.device[index], bytes, ACL_MEM_MALLOC_HUGE_FIRST));
}

static bool tensor_create(uint32_t index, int64_t count, void *data)
{
    int64_t stride = 1;
    world.tensor[index] = aclCreateTensor(&count, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &count, 1, data);
    return was_made("aclCreateTensor", world.tensor[index]);
}

bool operands_create(int64_t count, uint32_t first)
{
    uint64_t bytes = (uint64_t)count * sizeof(float);
    for (uint32_t i = first; i < first + 4; i++)
        if (!block_create(i, bytes) || !tensor_create(i, count, world.device[i]))
            return false;
    return true;
}

static bool operands_fill(enum op op, int64_t count, uint32_t first)
{
    const float *const pattern[3] = {gradient, exact[op].self, target};
    uint64_t bytes = (uint64_t)count * sizeof(float);
    for (uint32_t i = 0; i < 3; i++) {
        fill(host_memory[i], pattern[i], count);
        if (!went_well(CALL_RUNTIME, "aclrtMemcpy",
                       aclrtMemcpy(world.device[first + i], bytes, host_memory[i], bytes,
                                   ACL_MEMCPY_HOST_TO_DEVICE)))
            return false;
    }
    return true;
}

bool operator_prepare(enum op op, uint32_t first, uint64_t *workspace, aclOpExecutor **executor)
{
    aclTensor **tensor = &world.tensor[first];
    *executor = NULL;
    if (op == LEAKY_RELU && world.scalar[first] == NULL) {
        double slope = 0.25;
        world.scalar[first] = aclCreateScalar(&slope, ACL_DOUBLE);
        if (!was_made("aclCreateScalar", world.scalar[first]))
            return false;
    }
    switch (op) {
    case LEAKY_RELU:
        return went_well(CALL_PHASE_1, "aclnnLeakyReluBackwardGetWorkspaceSize",
                         aclnnLeakyReluBackwardGetWorkspaceSize(tensor[0], tensor[1], world.scalar[first],
                                                                false, tensor[3], workspace, executor));
    case HARDSWISH:
        return went_well(
            CALL_PHASE_1, "aclnnHardswishBackwardGetWorkspaceSize",
            aclnnHardswishBackwardGetWorkspaceSize(tensor[0], tensor[1], tensor[3], workspace, executor));
    case SILU:
        return went_well(
            CALL_PHASE_1, "aclnnSiluBackwardGetWorkspaceSize",
            aclnnSiluBackwardGetWorkspaceSize(tensor[0], tensor[1], tensor[3], workspace, executor));
    default:
        return went_well(CALL_PHASE_1, "aclnnSmoothL1LossBackwardGetWorkspaceSize",
                         aclnnSmoothL1LossBackwardGetWorkspaceSize(tensor[0], tensor[1], tensor[2], 0, 1.0F,
                                                                   tensor[3], workspace, executor));
    }
}

int operator_run(enum op op, uint64_t workspace, aclOpExecutor *executor, aclrtStream stream)
{
    switch (op) {
    case LEAKY_RELU:
        return aclnnLeakyReluBackward(NULL, workspace, executor, stream);
    case HARDSWISH:
        return aclnnHardswishBackward(NULL, workspace, executor, stream);
    case SILU:
        return aclnnSiluBackward(NULL, workspace, executor, stream);
    default:
        return aclnnSmoothL1LossBackward(NULL, workspace, executor, stream);
    }
}

bool results_check(enum op op, int64_t count, uint32_t first)
{
    uint64_t bytes = (uint64_t)count * sizeof(float);
    memset(host_memory[3], 0xff, bytes);
    if (!went_well(
            CALL_RUNTIME, "aclrtMemcpy",
            aclrtMemcpy(host_memory[3], bytes, world.device[first + 3], bytes, ACL_MEMCPY_DEVICE_TO_HOST)))
        return false;
    for (int64_t i = 0; i < count; i++) {
        /* Zeros of both signs are equal here. */
        if (!(host_memory[3][i] == exact[op].result[i % 4])) {
            complain("operator %d: element %lld is %g instead of %g", (int)op, (long long)i,
                     (double)host_memory[3][i], (double)exact[op].result[i % 4]);
            break;
        }
    }
    return true;
}

bool operate(enum op op, aclrtStream stream, int64_t count, uint32_t first)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    return operands_create(count, first) && operands_fill(op, count, first) &&
           operator_prepare(op, first, &workspace, &executor) &&
           went_well(CALL_PHASE_2, "phase 2", operator_run(op, workspace, executor, stream)) &&
           went_well(CALL_QUEUEING, "aclrtSynchronizeStream", aclrtSynchronizeStream(stream)) &&
           results_check(op, count, first);
}
