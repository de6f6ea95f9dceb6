/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Formats in blocks as tests know them: the storage shape of each, and the place of an element by the formula
 * that stands in the pages, written out for each format. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_BLOCKS_REFERENCE_H
#define BELAY_TESTS_OPS_BLOCKS_REFERENCE_H

#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "ops/host_side.h"

enum { BLOCKED_RANK_MAX = 8, BLOCKED_STORAGE_MAX = BLOCKED_RANK_MAX + 2 };

/* A tensor in a format, on memory of its own. */
struct blocked {
    aclFormat format;
    unsigned rank, storage_rank;
    int64_t shape[BLOCKED_RANK_MAX], storage[BLOCKED_STORAGE_MAX], c0;
    int64_t count, stored;
    size_t bytes;
    unsigned char *memory; /* as the host reads it */
    void *block;
    aclTensor *tensor;
};

static inline int64_t up(int64_t size, int64_t block)
{
    return (size + block - 1) / block;
}

/* N, C, D, H, W of an index or a shape; `missing` stands for those that are not there. */
static inline void five(const struct blocked *of, const int64_t *index, int64_t missing, int64_t *ncdhw)
{
    for (int i = 0; i < 5; i++)
        ncdhw[i] = missing;
    if (of->rank == 5) {
        memcpy(ncdhw, index, 5 * sizeof *index);
        return;
    }
    const unsigned first = of->rank == 4 ? 0 : 1;
    static const int of_four[] = {0, 1, 3, 4};
    for (unsigned i = 0; i < of->rank; i++)
        ncdhw[of_four[first + i]] = index[i];
}

static inline bool is_matrix_format(aclFormat format)
{
    return format == ACL_FORMAT_FRACTAL_NZ || format >= ACL_FORMAT_FRACTAL_NZ_C0_16;
}

static inline void find_storage_shape(struct blocked *of)
{
    int64_t d[5];
    unsigned rank = 0;
    if (is_matrix_format(of->format)) {
        for (; rank + 2 < of->rank; rank++)
            of->storage[rank] = of->shape[rank];
        of->storage[rank++] = up(of->shape[of->rank - 1], of->c0);
        of->storage[rank++] = up(of->shape[of->rank - 2], 16);
        of->storage[rank++] = 16;
    } else {
        five(of, of->shape, 1, d);
        const int64_t c1 = up(d[1], of->c0);
        const int64_t images[] = {d[0], c1, d[3], d[4]}, volumes[] = {d[0], d[2], c1, d[3], d[4]},
                      filters[] = {d[2] * c1 * d[3] * d[4], up(d[0], 16), 16};
        if (of->format == ACL_FORMAT_NC1HWC0)
            memcpy(of->storage, images, sizeof images), rank = 4;
        else if (of->format == ACL_FORMAT_NDC1HWC0)
            memcpy(of->storage, volumes, sizeof volumes), rank = 5;
        else
            memcpy(of->storage, filters, sizeof filters), rank = 3;
    }
    of->storage[rank++] = of->c0;
    of->storage_rank = rank;
}

/* The place of an element among those that are stored. */
static inline int64_t place_in_blocks(const struct blocked *of, int64_t element)
{
    int64_t index[BLOCKED_RANK_MAX] = {0}, batch = 0, d[5], s[5];
    const int64_t c0 = of->c0;
    for (unsigned i = of->rank; i-- > 0; element /= of->shape[i])
        index[i] = element % of->shape[i];
    if (is_matrix_format(of->format)) {
        const int64_t i = index[of->rank - 2], j = index[of->rank - 1], k1 = up(of->shape[of->rank - 2], 16),
                      n1 = up(of->shape[of->rank - 1], c0);
        for (unsigned k = 0; k + 2 < of->rank; k++)
            batch = batch * of->shape[k] + index[k];
        return (((batch * n1 + j / c0) * k1 + i / 16) * 16 + i % 16) * c0 + j % c0;
    }
    five(of, index, 0, d);
    five(of, of->shape, 1, s);
    const int64_t c1 = up(s[1], c0), n1 = up(s[0], 16);
    switch (of->format) {
    case ACL_FORMAT_NC1HWC0:
        return (((d[0] * c1 + d[1] / c0) * s[3] + d[3]) * s[4] + d[4]) * c0 + d[1] % c0;
    case ACL_FORMAT_NDC1HWC0:
        return ((((d[0] * s[2] + d[2]) * c1 + d[1] / c0) * s[3] + d[3]) * s[4] + d[4]) * c0 + d[1] % c0;
    default: /* filters */
        return (((((d[2] * c1 + d[1] / c0) * s[3] + d[3]) * s[4] + d[4]) * n1 + d[0] / 16) * 16 + d[0] % 16) *
                   c0 +
               d[1] % c0;
    }
}

/* On new memory, full of 0x5a. */
static inline struct blocked blocked_create(aclFormat format, aclDataType dtype, unsigned rank,
                                            const int64_t *shape, int64_t c0)
{
    struct blocked made = {.format = format, .rank = rank, .c0 = c0, .count = 1, .stored = 1};
    made.bytes = aclDataTypeSize(dtype);
    memcpy(made.shape, shape, rank * sizeof *shape);
    find_storage_shape(&made);
    for (unsigned i = 0; i < rank; i++)
        made.count *= shape[i];
    for (unsigned i = 0; i < made.storage_rank; i++)
        made.stored *= made.storage[i];
    const size_t all = (size_t)made.stored * made.bytes;
    assert_int_equal(aclrtMalloc(&made.block, all, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    made.memory = host_side(made.block, all);
    memset(made.memory, 0x5a, all);
    made.tensor =
        aclCreateTensor(shape, rank, dtype, NULL, 0, format, made.storage, made.storage_rank, made.block);
    assert_non_null(made.tensor);
    return made;
}

/* Elements in row-major order, and zeros around them. */
static inline void blocked_fill(struct blocked *of, const unsigned char *elements)
{
    memset(of->memory, 0, (size_t)of->stored * of->bytes);
    for (int64_t i = 0; i < of->count; i++)
        memcpy(of->memory + (size_t)place_in_blocks(of, i) * of->bytes, elements + (size_t)i * of->bytes,
               of->bytes);
}

/* Whether the memory is what these elements make of it, zeros included. */
static inline bool blocked_is(const struct blocked *of, const unsigned char *elements)
{
    const size_t all = (size_t)of->stored * of->bytes;
    struct blocked wanted = *of;
    wanted.memory = malloc(all);
    blocked_fill(&wanted, elements);
    const bool is_equal = memcmp(wanted.memory, of->memory, all) == 0;
    free(wanted.memory);
    return is_equal;
}

static inline void blocked_release(struct blocked *of)
{
    assert_int_equal(aclDestroyTensor(of->tensor), 0);
    assert_int_equal(aclrtFree(of->block), 0);
}

#endif
