/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whole calls of functions that move elements, on views at random: device memory that is compared byte by
 * byte with what a loop over indices makes of it. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_WHOLE_TENSOR_H
#define BELAY_TESTS_OPS_WHOLE_TENSOR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "ops/function.h"
#include "ops/host_side.h"
#include "ops/random_view.h"
#include "support/conversion.h"
#include "support/failure.h"

enum { ARENAS = 4, ARENA_BYTES = 40 << 20 };

static unsigned char *arena[ARENAS], *expected;
static size_t compared; /* bytes of the arena that is written */
static aclrtStream stream;

static inline int open_arenas(void **state)
{
    (void)state;
    expected = malloc(ARENA_BYTES);
    if (expected == NULL || aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0)
        return -1;
    for (int i = 0; i < ARENAS; i++)
        if (aclrtMalloc((void **)&arena[i], ARENA_BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
            return -1;
    for (int i = 0; i < ARENAS; i++)
        arena[i] = host_side(arena[i], ARENA_BYTES);
    return 0;
}

static inline int close_arenas(void **state)
{
    (void)state;
    for (int i = 0; i < ARENAS; i++)
        (void)aclrtFree(memory_known_as(arena[i]));
    free(expected);
    return aclrtDestroyStream(stream) | aclrtResetDevice(0) | aclFinalize();
}

static inline size_t bytes_of(const struct view *view)
{
    return (size_t)(last_of(view) + 1) * conversion_bytes(view->dtype);
}

static inline bool is_too_large(const struct view *view)
{
    return last_of(view) >= ARENA_BYTES / 16 - 64;
}

static inline aclTensor *tensor_of(const struct view *view)
{
    aclTensor *tensor =
        aclCreateTensor(view->shape, view->rank, view->dtype, view->stride, view->offset, ACL_FORMAT_ND,
                        view->shape, view->rank, memory_known_as(arena[view->arena]));
    assert_non_null(tensor);
    return tensor;
}

/* A view without gaps. */
static inline struct view plain_view(unsigned in, aclDataType dtype, uint32_t rank, const int64_t *shape)
{
    struct view view = {.arena = in, .dtype = dtype, .rank = rank};
    int64_t step = 1;
    for (uint32_t i = rank; i-- > 0;) {
        view.shape[i] = shape[i];
        view.stride[i] = step;
        step *= shape[i];
    }
    return view;
}

static inline void fill_at_random(unsigned in, size_t bytes)
{
    uint64_t word = 0;
    for (size_t i = 0; i < bytes; i++, word >>= 8)
        arena[in][i] = (unsigned char)(i % 8 == 0 ? word = random_bits() : word);
}

/* Where an index of a view lies, in bytes from the beginning of its arena. */
static inline size_t place_of(const struct view *view, const int64_t *index)
{
    int64_t element = view->offset;
    for (uint32_t i = 0; i < view->rank; i++)
        element += index[i] * view->stride[i];
    return (size_t)element * conversion_bytes(view->dtype);
}

/* The next index of a shape in row-major order; false, and all 0, behind the last one. */
static inline bool next_index(uint32_t rank, const int64_t *shape, int64_t *index)
{
    for (uint32_t i = rank; i-- > 0;) {
        if (++index[i] < shape[i])
            return true;
        index[i] = 0;
    }
    return false;
}

/* What is there before the call, up to some bytes behind the view that is written. */
static inline void begin_expecting(const struct view *written)
{
    compared = bytes_of(written) + 256;
    memcpy(expected, arena[written->arena], compared);
}

static inline void assert_expected(const struct view *written)
{
    if (memcmp(expected, arena[written->arena], compared) == 0)
        return;
    size_t place = 0;
    while (expected[place] == arena[written->arena][place])
        place++;
    fail_msg("byte %zu (element %zu) differs", place, place / conversion_bytes(written->dtype));
}

typedef aclnnStatus launch_function(void *, uint64_t, aclOpExecutor *, aclrtStream);

/* Phase 2 of what phase 1 has accepted, to the end; the status of the synchronise. */
static inline aclnnStatus finish(launch_function *launch, aclnnStatus status, uint64_t workspace,
                                 aclOpExecutor *executor)
{
    if (status != 0)
        fail_msg("phase 1: %s", aclGetRecentErrMsg());
    assert_int_equal(workspace, 0);
    if (launch(NULL, 0, executor, stream) != 0)
        fail_msg("phase 2: %s", aclGetRecentErrMsg());
    return aclrtSynchronizeStream(stream);
}

#endif
