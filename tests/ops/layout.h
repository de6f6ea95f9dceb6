/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors in layouts drawn at random, on device memory, for tests of whole families: elements are named by
 * their index, the last dim fastest. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_LAYOUT_H
#define BELAY_TESTS_OPS_LAYOUT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "ops/host_side.h"
#include "ops/special_set.h"
#include "support/conversion.h"
#include "support/random.h"

enum { LAYOUT_RANK_MAX = 6 };

struct layout {
    aclDataType dtype;
    unsigned rank;
    int64_t shape[LAYOUT_RANK_MAX], stride[LAYOUT_RANK_MAX], offset;
    int64_t count, reach;
    size_t bytes; /* of an element */
    unsigned char *memory;
    aclTensor *tensor;
};

static inline int64_t layout_place(const struct layout *layout, int64_t index)
{
    int64_t place = layout->offset;
    for (unsigned dim = layout->rank; dim-- > 0; index /= layout->shape[dim])
        place += index % layout->shape[dim] * layout->stride[dim];
    return place;
}

static inline unsigned char *layout_element(const struct layout *layout, int64_t index)
{
    return layout->memory + (size_t)layout_place(layout, index) * layout->bytes;
}

enum layout_kind { LAYOUT_CONTIGUOUS, LAYOUT_PERMUTED, LAYOUT_GAPS, LAYOUT_REPEATED, LAYOUT_KINDS };

/* Dims in the order of memory that the kind says, gaps between elements, or a dim that repeats. */
static inline void layout_strides(struct layout *layout, enum layout_kind kind)
{
    unsigned order[LAYOUT_RANK_MAX];
    for (unsigned i = 0; i < layout->rank; i++)
        order[i] = i;
    for (unsigned i = layout->rank; kind != LAYOUT_CONTIGUOUS && i > 1; i--) {
        const unsigned other = (unsigned)random_below(i), kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    int64_t step = kind == LAYOUT_GAPS ? 1 + random_below(3) : 1;
    for (unsigned i = layout->rank; i-- > 0;) {
        layout->stride[order[i]] = step;
        step *= layout->shape[order[i]] > 0 ? layout->shape[order[i]] : 1;
        step += kind == LAYOUT_GAPS ? random_below(3) : 0;
    }
    if (kind == LAYOUT_REPEATED && layout->rank > 0)
        layout->stride[random_below(layout->rank)] = 0;
}

/* A tensor whose memory is its own, on the device. */
static inline struct layout layout_create(aclDataType dtype, unsigned rank, const int64_t *shape,
                                          enum layout_kind kind)
{
    struct layout layout = {.dtype = dtype, .rank = rank, .count = 1, .bytes = conversion_bytes(dtype)};
    for (unsigned i = 0; i < rank; i++) {
        layout.shape[i] = shape[i];
        layout.count *= shape[i];
    }
    layout_strides(&layout, kind);
    layout.offset = kind == LAYOUT_CONTIGUOUS ? 0 : random_below(3);
    layout.reach = layout.offset;
    for (unsigned i = 0; i < rank && layout.count > 0; i++)
        layout.reach += (shape[i] - 1) * layout.stride[i];
    void *fresh;
    assert_int_equal(
        aclrtMalloc(&fresh, (size_t)(layout.reach + 1) * layout.bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    layout.memory = host_side(fresh, (size_t)(layout.reach + 1) * layout.bytes);
    memset(layout.memory, 0x5a, (size_t)(layout.reach + 1) * layout.bytes);
    const int64_t storage = layout.reach + 1;
    layout.tensor =
        aclCreateTensor(shape, rank, dtype, layout.stride, layout.offset, ACL_FORMAT_ND, &storage, 1, fresh);
    assert_non_null(layout.tensor);
    return layout;
}

static inline void layout_destroy(struct layout *layout)
{
    assert_int_equal(aclDestroyTensor(layout->tensor), 0);
    assert_int_equal(aclrtFree(memory_known_as(layout->memory)), 0);
}

static inline bool is_float_dtype(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}

static inline bool is_complex_dtype(aclDataType dtype)
{
    return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
}

/* How many of the numbers that are drawn are special: none; one in a thousand, infinite or NaN; one in eight,
 * of all of special_set.h: for functions of which some elements do not spoil many results. */
enum specials { NO_SPECIALS, FEW_SPECIALS, MANY_SPECIALS };

/* A number of about this size. */
static inline double draw_number(double size, enum specials specials)
{
    static const double special[] = {__builtin_inf(), -__builtin_inf(), __builtin_nan("")};
    if (specials != NO_SPECIALS && random_below(1000) == 0)
        return special[random_below(3)];
    return ((double)random_below(INT64_C(1) << 52) * 0x1p-51 - 1) * size;
}

/* What is drawn for a large tensor is this many elements (a prime), over and over. */
enum { LAYOUT_PERIOD = 4099 };

static inline int64_t layout_drawn(const struct layout *layout)
{
    return layout->reach < LAYOUT_PERIOD ? layout->reach + 1 : LAYOUT_PERIOD;
}

static inline void layout_repeat(const struct layout *layout)
{
    for (int64_t i = LAYOUT_PERIOD; i <= layout->reach; i++)
        memcpy(layout->memory + (size_t)i * layout->bytes,
               layout->memory + (size_t)(i - LAYOUT_PERIOD) * layout->bytes, layout->bytes);
}

/* Fills all memory, gaps too: floats with numbers of about this size, integers with any. */
static inline void layout_fill(const struct layout *layout, double size, enum specials specials)
{
    const bool draws_special = specials == MANY_SPECIALS && !is_complex_dtype(layout->dtype) &&
                               layout->dtype != ACL_BOOL && layout->bytes <= 8;
    const struct special_set set =
        draws_special ? special_set_of(layout->dtype, &size, 1, false) : (struct special_set){.count = 0};
    for (int64_t i = 0; i < layout_drawn(layout); i++) {
        unsigned char *element = layout->memory + (size_t)i * layout->bytes;
        const double value[] = {draw_number(size, specials), draw_number(size, specials)};
        const uint64_t bits = random_bits();
        if (is_complex_dtype(layout->dtype))
            conversion_reference(value, ACL_COMPLEX128, element, layout->dtype);
        else if (is_float_dtype(layout->dtype))
            conversion_reference(value, ACL_DOUBLE, element, layout->dtype);
        else
            memcpy(element, &bits, layout->bytes);
        if (draws_special && random_below(8) == 0)
            memcpy(element, set.element[random_below(set.count)], layout->bytes);
        if (layout->dtype == ACL_BOOL)
            *element = random_below(3) == 0;
    }
    layout_repeat(layout);
}

#endif
