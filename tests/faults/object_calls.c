/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Single calls that make objects and run operators, as the first call of a process or where a table is full.
 */
#include "scenario.h"

#include <stdlib.h>

#include "world.h"

/* The first chunk of every handle table holds as many objects. */
enum { FIRST_CHUNK = 64 };

static void device_and_stream(void)
{
    if (went_well(CALL_RUNTIME, "aclrtSetDevice", aclrtSetDevice(0)))
        world.devices_set = 1;
    went_well(CALL_QUEUEING, "aclrtCreateStream", aclrtCreateStream(&world.stream[0]));
}

static void create_tensor_at(uint32_t i)
{
    const int64_t dim = 4, stride = 1;
    world.tensor[i] = aclCreateTensor(&dim, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &dim, 1, NULL);
    was_made("aclCreateTensor", world.tensor[i]);
}

static void create_scalar_at(uint32_t i)
{
    double value = 1;
    world.scalar[i] = aclCreateScalar(&value, ACL_DOUBLE);
    was_made("aclCreateScalar", world.scalar[i]);
}

static void create_int_array_at(uint32_t i)
{
    const int64_t values[2] = {1, 2};
    world.int_array[i] = aclCreateIntArray(values, 2);
    was_made("aclCreateIntArray", world.int_array[i]);
}

static void create_float_array_at(uint32_t i)
{
    const float values[2] = {1, 2};
    world.float_array[i] = aclCreateFloatArray(values, 2);
    was_made("aclCreateFloatArray", world.float_array[i]);
}

static void create_bool_array_at(uint32_t i)
{
    const bool values[2] = {true, false};
    world.bool_array[i] = aclCreateBoolArray(values, 2);
    was_made("aclCreateBoolArray", world.bool_array[i]);
}

static void create_tensor_list_at(uint32_t i)
{
    world.tensor_list[i] = aclCreateTensorList(NULL, 0);
    was_made("aclCreateTensorList", world.tensor_list[i]);
}

static void create_scalar_list_at(uint32_t i)
{
    world.scalar_list[i] = aclCreateScalarList(NULL, 0);
    was_made("aclCreateScalarList", world.scalar_list[i]);
}

static void create_buffer_at(uint32_t i)
{
    world.buffer[i] = aclCreateDataBuffer(&world, 1);
    was_made("aclCreateDataBuffer", world.buffer[i]);
}

static void create_description_at(uint32_t i)
{
    const int64_t dim = 4;
    world.description[i] = aclCreateTensorDesc(ACL_FLOAT, 1, &dim, ACL_FORMAT_ND);
    was_made("aclCreateTensorDesc", world.description[i]);
}

/* Two scenarios for each: the very first object, and the first beyond the table's first chunk. */
#define CREATORS(name)                              \
    static void name(void)                          \
    {                                               \
        name##_at(0);                               \
    }                                               \
    static void name##_until_growth(void)           \
    {                                               \
        for (uint32_t i = 1; i <= FIRST_CHUNK; i++) \
            name##_at(i);                           \
    }
CREATORS(create_tensor)
CREATORS(create_scalar)
CREATORS(create_int_array)
CREATORS(create_float_array)
CREATORS(create_bool_array)
CREATORS(create_tensor_list)
CREATORS(create_scalar_list)
CREATORS(create_buffer)
CREATORS(create_description)

static void get_shapes(void)
{
    int64_t *values;
    uint64_t count;
    if (went_well(CALL_GETTER, "aclGetViewShape", aclGetViewShape(world.tensor[0], &values, &count)))
        free(values);
    if (went_well(CALL_GETTER, "aclGetViewStrides", aclGetViewStrides(world.tensor[0], &values, &count)))
        free(values);
    if (went_well(CALL_GETTER, "aclGetStorageShape", aclGetStorageShape(world.tensor[0], &values, &count)))
        free(values);
}

static void operands(void)
{
    device_and_stream();
    operands_create(1024, 0);
    create_scalar_at(0);
}

static void first_phase(enum op op)
{
    uint64_t workspace;
    operator_prepare(op, 0, &workspace, &world.executor[0]);
}

static void phase_1_leaky_relu(void)
{
    first_phase(LEAKY_RELU);
}

static void phase_1_hardswish(void)
{
    first_phase(HARDSWISH);
}

static void phase_1_silu(void)
{
    first_phase(SILU);
}

static void phase_1_smooth_l1(void)
{
    first_phase(SMOOTH_L1);
}

static void executors_until_growth(void)
{
    uint64_t workspace;
    operands();
    for (uint32_t i = 1; i <= FIRST_CHUNK; i++)
        operator_prepare(LEAKY_RELU, 0, &workspace, &world.executor[i]);
}

static void prepared(enum op op)
{
    operands();
    first_phase(op);
}

static void prepared_leaky_relu(void)
{
    prepared(LEAKY_RELU);
}

static void prepared_hardswish(void)
{
    prepared(HARDSWISH);
}

static void prepared_silu(void)
{
    prepared(SILU);
}

static void prepared_smooth_l1(void)
{
    prepared(SMOOTH_L1);
}

static void second_phase(enum op op)
{
    aclOpExecutor *executor = world.executor[0];
    world.executor[0] = NULL;
    went_well(CALL_PHASE_2, "phase 2", operator_run(op, 0, executor, world.stream[0]));
}

static void phase_2_leaky_relu(void)
{
    second_phase(LEAKY_RELU);
}

static void phase_2_hardswish(void)
{
    second_phase(HARDSWISH);
}

static void phase_2_silu(void)
{
    second_phase(SILU);
}

static void phase_2_smooth_l1(void)
{
    second_phase(SMOOTH_L1);
}

#define GROWS(name)                                                            \
    {                                                                          \
#name " beyond the first chunk", name##_until_growth, name, NULL, NULL \
    }

const struct scenario object_calls[] = {
    FIRST("aclCreateTensor", create_tensor),
    FIRST("aclCreateScalar", create_scalar),
    FIRST("aclCreateIntArray", create_int_array),
    FIRST("aclCreateFloatArray", create_float_array),
    FIRST("aclCreateBoolArray", create_bool_array),
    FIRST("aclCreateTensorList", create_tensor_list),
    FIRST("aclCreateScalarList", create_scalar_list),
    FIRST("aclCreateDataBuffer", create_buffer),
    FIRST("aclCreateTensorDesc", create_description),
    GROWS(create_tensor),
    GROWS(create_scalar),
    GROWS(create_int_array),
    GROWS(create_float_array),
    GROWS(create_bool_array),
    GROWS(create_tensor_list),
    GROWS(create_scalar_list),
    GROWS(create_buffer),
    GROWS(create_description),
    AFTER("aclGetViewShape and its relatives", create_tensor, get_shapes),
    AFTER("aclnnLeakyReluBackwardGetWorkspaceSize", operands, phase_1_leaky_relu),
    AFTER("aclnnHardswishBackwardGetWorkspaceSize", operands, phase_1_hardswish),
    AFTER("aclnnSiluBackwardGetWorkspaceSize", operands, phase_1_silu),
    AFTER("aclnnSmoothL1LossBackwardGetWorkspaceSize", operands, phase_1_smooth_l1),
    AFTER("phase 1 beyond the first chunk", executors_until_growth, phase_1_leaky_relu),
    LAZY("aclnnLeakyReluBackward", prepared_leaky_relu, phase_2_leaky_relu),
    LAZY("aclnnHardswishBackward", prepared_hardswish, phase_2_hardswish),
    LAZY("aclnnSiluBackward", prepared_silu, phase_2_silu),
    LAZY("aclnnSmoothL1LossBackward", prepared_smooth_l1, phase_2_smooth_l1),
};

const uint32_t object_call_count = sizeof object_calls / sizeof object_calls[0];
