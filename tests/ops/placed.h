/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors on arenas of device memory, in layouts drawn at random, and calls of functions on them by arrays of
 * arguments. Elements are named by their row-major numbers. Include cmocka.h and acl/acl.h before.
 */
#ifndef BELAY_TESTS_OPS_PLACED_H
#define BELAY_TESTS_OPS_PLACED_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/find_operator.h"
#include "ops/host_side.h"
#include "ops/random_view.h"
#include "tensor/dtype.h"

enum { PLACED_ARENAS = 4, PLACED_BYTES = 8 << 20 };

static unsigned char *arena[PLACED_ARENAS];
static aclrtStream stream;

static int open_arenas(void **state)
{
    (void)state;
    bool is_ready = aclInit(NULL) == 0 && aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0;
    for (unsigned i = 0; i < PLACED_ARENAS && is_ready; i++)
        is_ready = aclrtMalloc((void **)&arena[i], PLACED_BYTES, ACL_MEM_MALLOC_HUGE_FIRST) == 0;
    for (unsigned i = 0; i < PLACED_ARENAS; i++)
        arena[i] = host_side(arena[i], PLACED_BYTES);
    return is_ready ? 0 : -1;
}

static int close_arenas(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PLACED_ARENAS; i++)
        aclrtFree(memory_known_as(arena[i]));
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    return aclFinalize();
}

/* A contiguous view of this shape; lay_out gives it other strides. */
static inline struct view view_of(unsigned in_arena, aclDataType dtype, uint32_t rank, const int64_t *shape)
{
    struct view view = {.arena = in_arena, .dtype = dtype, .rank = rank};
    for (uint32_t i = 0; i < rank; i++)
        view.shape[i] = shape[i];
    lay_out(&view, false, false);
    return view;
}

static inline size_t bytes_of(const struct view *view)
{
    return (size_t)(last_of(view) + 1) * dtype_bytes(view->dtype);
}

static inline int64_t place_of(const struct view *view, int64_t number)
{
    int64_t place = view->offset;
    for (uint32_t i = view->rank; i-- > 0; number /= view->shape[i])
        place += number % view->shape[i] * view->stride[i];
    return place;
}

static inline unsigned char *element_of(unsigned char *base, const struct view *view, int64_t number)
{
    return base + (size_t)place_of(view, number) * dtype_bytes(view->dtype);
}

static inline aclTensor *create_placed(const struct view *view)
{
    int64_t storage = last_of(view) + 1;
    aclTensor *tensor =
        aclCreateTensor(view->shape, view->rank, view->dtype, view->stride, view->offset, ACL_FORMAT_ND,
                        &storage, storage > 0 ? 1 : 0, memory_known_as(arena[view->arena]));
    assert_non_null(tensor);
    return tensor;
}

static inline void fill_bytes(unsigned which, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        arena[which][i] = (unsigned char)random_bits();
}

/* Both phases and a synchronise; the tensors among the arguments are destroyed between the phases. */
static inline void call_placed(const struct function *function, const union argument *argument)
{
    uint64_t workspace_bytes = 1;
    aclOpExecutor *executor = NULL;
    if (function_plan_anew(function, argument, &workspace_bytes, &executor) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal(workspace_bytes, 0);
    for (uint32_t i = 0; i < function->parameter_count; i++)
        if (function->parameter[i].kind == PARAMETER_TENSOR && argument[i].tensor != NULL)
            assert_int_equal(aclDestroyTensor(argument[i].tensor), 0);
    assert_int_equal(function->launch(NULL, 0, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

#endif
