/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whole calls on views at random within one block of device memory, where they may overlap each other; and
 * whether results have the same bits on every level and with every number of threads. Include cmocka.h
 * before.
 */
#ifndef BELAY_TESTS_OPS_ARENA_H
#define BELAY_TESTS_OPS_ARENA_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "ops/host_side.h"
#include "support/conversion.h"
#include "support/effort.h"
#include "support/failure.h"
#include "support/random.h"

enum { ARENA_BYTES = 16 << 20, VIEW_RANK = 4 };

static unsigned char *arena, *expected; /* what lies there, and what must in the end */
static aclrtStream stream;

static inline int open_arena(void **state)
{
    (void)state;
    expected = malloc(ARENA_BYTES);
    if (expected == NULL || aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
        aclrtMalloc((void **)&arena, ARENA_BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return -1;
    arena = host_side(arena, ARENA_BYTES);
    return 0;
}

static inline int close_arena(void **state)
{
    (void)state;
    free(expected);
    return aclrtFree(memory_known_as(arena)) | aclrtDestroyStream(stream) | aclrtResetDevice(0) |
           aclFinalize();
}

/* Strides and the offset in elements of the dtype. */
struct view {
    aclDataType dtype;
    uint32_t rank;
    int64_t shape[VIEW_RANK], stride[VIEW_RANK], offset;
};

static inline int64_t view_count(const struct view *view)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < view->rank; i++)
        count *= view->shape[i];
    return count;
}

/* Where the k-th element in row-major order lies, in elements. */
static inline int64_t view_place(const struct view *view, int64_t k)
{
    int64_t place = view->offset;
    for (uint32_t i = view->rank; i-- > 0; k /= view->shape[i])
        place += k % view->shape[i] * view->stride[i];
    return place;
}

static inline struct view plain_view(aclDataType dtype, uint32_t rank, const int64_t *shape, int64_t offset)
{
    struct view view = {.dtype = dtype, .rank = rank, .offset = offset};
    int64_t step = 1;
    for (uint32_t i = rank; i-- > 0; step *= shape[i]) {
        view.shape[i] = shape[i];
        view.stride[i] = step;
    }
    return view;
}

/* Axes in any order in memory, with gaps; may_repeat: strides of 0 too. Within so many elements. */
static inline struct view random_layout(aclDataType dtype, uint32_t rank, const int64_t *shape,
                                        bool may_repeat, int64_t room)
{
    struct view view = {.dtype = dtype, .rank = rank};
    uint32_t order[VIEW_RANK];
    int64_t step = random_below(4) == 0 ? 2 : 1, reach = 0;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t place = (uint32_t)random_below(i + 1);
        order[i] = order[place];
        order[place] = i;
    }
    bool is_plain = random_below(3) == 0;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t axis = is_plain ? rank - 1 - i : order[i];
        view.shape[axis] = shape[axis];
        view.stride[axis] = may_repeat && random_below(6) == 0 ? 0 : step;
        step *= view.stride[axis] == 0 || shape[axis] == 0 ? 1 : shape[axis];
        step += is_plain ? 0 : random_below(2);
        reach += view.stride[axis] * (shape[axis] > 0 ? shape[axis] - 1 : 0);
    }
    view.offset = random_below(room - reach);
    return view;
}

static inline aclTensor *tensor_of(const struct view *view)
{
    aclTensor *tensor = aclCreateTensor(view->shape, view->rank, view->dtype, view->stride, view->offset,
                                        ACL_FORMAT_ND, view->shape, view->rank, memory_known_as(arena));
    assert_non_null(tensor);
    return tensor;
}

static inline aclTensorList *list_of(const struct view *views, uint64_t count)
{
    const aclTensor *tensor[64];
    for (uint64_t i = 0; i < count; i++)
        tensor[i] = tensor_of(&views[i]);
    aclTensorList *list = aclCreateTensorList(tensor, count);
    assert_non_null(list);
    return list;
}

/* An element of a view in some memory that is laid out as the arena. */
static inline double read_at(const unsigned char *memory, const struct view *view, int64_t k)
{
    double value;
    conversion_reference(memory + view_place(view, k) * (int64_t)conversion_bytes(view->dtype), view->dtype,
                         &value, ACL_DOUBLE);
    return value;
}

static inline void write_at(unsigned char *memory, const struct view *view, int64_t k, double value)
{
    conversion_reference(&value, ACL_DOUBLE,
                         memory + view_place(view, k) * (int64_t)conversion_bytes(view->dtype), view->dtype);
}

static inline void assert_expected(size_t bytes)
{
    size_t place = 0;
    while (place < bytes && expected[place] == arena[place])
        place++;
    if (place < bytes)
        fail_msg("byte %zu differs: %02x instead of %02x", place, arena[place], expected[place]);
}

typedef aclnnStatus launch_function(void *, uint64_t, aclOpExecutor *, aclrtStream);

/* Phase 2 of what phase 1 has accepted, to its end. */
static inline void finish(launch_function *launch, aclnnStatus status, aclOpExecutor *executor)
{
    if (status != 0)
        fail_msg("phase 1: %s", aclGetRecentErrMsg());
    if (launch(NULL, 0, executor, stream) != 0)
        fail_msg("phase 2: %s", aclGetRecentErrMsg());
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

static inline uint64_t hash_of(const void *bytes, size_t count, uint64_t hash)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* What body gives in a process with these settings, 0 where it ends before that. */
static inline uint64_t hash_with(const char *level, const char *threads, uint64_t (*body)(void))
{
    uint64_t hash = 0;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        setenv("BELAY_ISA", level, 1);
        setenv("BELAY_THREADS", threads, 1);
        if (open_arena(NULL) == 0)
            hash = body();
        _exit(write(ends[1], &hash, sizeof hash) != sizeof hash);
    }
    close(ends[1]);
    (void)!read(ends[0], &hash, sizeof hash);
    close(ends[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return hash;
}

/*
 * The library must not have been used before. A level that the processor lacks gives nothing. With an effort of 1 each
 * level is tried with each number of threads; with less, each level and each number is, not each with each; and in a
 * pass that repeats another one, whose settings these processes do not have, the lowest level with one thread and with
 * several.
 */
static inline void assert_same_everywhere(uint64_t (*body)(void))
{
    static const char *const levels[] = {"avx2", "avx512", "avx512_bf16"}, *const threads[] = {"1", "2", "3",
                                                                                               "8"};
    const bool is_whole = effort() >= 1, is_repeated = effort() < 0.2;
    const uint64_t hash = hash_with("baseline", "1", body);
    assert_int_not_equal(hash, 0);
    for (int t = 1; t < 4; t++)
        if (is_whole || t == 2)
            assert_int_equal(hash_with("baseline", threads[t], body), hash);
    for (int l = 0; l < 3 && !is_repeated; l++)
        for (int t = 0, tried = 0; t < 4; t++) {
            if (!is_whole && t % 2 == 0)
                continue;
            uint64_t other = hash_with(levels[l], threads[t], body);
            if (other != hash && (other != 0 || tried > 0))
                fail_msg("other bits with %s and %s threads", levels[l], threads[t]);
            if (other == 0)
                break;
            tried++;
        }
}

#endif
