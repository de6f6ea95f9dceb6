/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The first pass over indices: from numbers in tensors to offsets that are known to be in range.
 */
#include "ops/index/index.h"

#include <string.h>

#ifdef KERNEL_PASS

/* Whether one of so many indices is not legal: value + below or size - 1 - value is negative then, or both
 * are. Callers make apart a constant, of bytes. */
static inline __attribute__((always_inline)) bool find_beyond(const unsigned char *source, int64_t apart,
                                                              int64_t count, uint64_t size, uint64_t below)
{
    uint64_t beyond = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, source + i * apart, sizeof value);
        beyond |= (value + below) | (size - 1 - value);
    }
    return beyond >> 63 != 0;
}

index_has_beyond AT_LEVEL(index_beyond);
bool AT_LEVEL(index_beyond)(const unsigned char *source, int64_t apart, int64_t count, uint64_t size,
                            uint64_t below)
{
    enum { NEXT = sizeof(int64_t) };
    return apart == NEXT ? find_beyond(source, NEXT, count, size, below)
                         : find_beyond(source, apart, count, size, below);
}

#else

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "ops/convert.h"
#include "ops/element_bytes.h"
#include "ops/loops/tasks.h"
#include "runtime/streams/fault.h"

LEVEL_TABLE(index_has_beyond, beyond_of, index_beyond);

/* Positions that a thread takes at once, and picoseconds for one. */
enum { READ_SHARE = 1 << 14, READ_PS = 1500 };

void index_describe(struct index_entry *entry, const struct call *call, unsigned parameter, int32_t element)
{
    const struct tensor_view *view =
        element < 0 ? &call->tensor[parameter] : &call->values[parameter].value.tensor[element];
    *entry = (struct index_entry){
        .name = call->function->parameter[parameter].name,
        .level = call->settings->isa,
        .element = element,
        .operand = call->first_operand[parameter] + (element < 0 ? 0 : (uint32_t)element),
        .dtype = view->dtype,
        .rank = view->rank,
    };
    memcpy(entry->shape, view->shape, view->rank * sizeof view->shape[0]);
    memcpy(entry->stride, view->stride, view->rank * sizeof view->stride[0]);
}

static int64_t value_at(const struct index_reader *reader, int64_t element)
{
    if (reader->entry->dtype == ACL_INT32) {
        int32_t value;
        memcpy(&value, reader->address + element * 4, sizeof value);
        return value;
    }
    int64_t value;
    if (reader->entry->dtype == ACL_INT64)
        memcpy(&value, reader->address + element * 8, sizeof value);
    else
        convert_baseline(reader->address + element * (int64_t)dtype_bytes(reader->entry->dtype),
                         reader->entry->dtype, &value, ACL_INT64, 1);
    return value;
}

/* Offsets of one row of the shape, from a place in it on; the number of legal indices in front. */
static int64_t read_any_row(const struct index_reader *reader, const struct nest_place *place,
                            const struct nest_axis *axis, int64_t *offset, int64_t count)
{
    const struct index_entry *entry = reader->entry;
    const int64_t size = entry->size, step = entry->step, wrap = entry->is_strict ? 0 : size;
    for (int64_t i = 0; i < count; i++) {
        int64_t value = value_at(reader, place->offset[0] + i * axis->stride[0]);
        if (reader->adds && offset[i] == INDEX_NO_PLACE)
            continue;
        if (entry->is_left_out_at && value == entry->left_out) {
            offset[i] = INDEX_NO_PLACE;
            continue;
        }
        value += value < 0 ? wrap : 0; /* in 64 bits: size > 0 and value < 0 */
        if (value < 0 || value >= size) {
            if (!entry->skips)
                return i;
            offset[i] = INDEX_NO_PLACE;
            continue;
        }
        offset[i] = (reader->adds ? offset[i] : 0) + value * step + place->offset[1] + i * axis->stride[1];
    }
    return count;
}

bool index_is_plain(const struct index_entry *entry)
{
    return entry->dtype == ACL_INT64 && !entry->is_left_out_at && !entry->skips;
}

/* How many indices in front are legal, of INT64 where every one must be. */
static int64_t count_legal(const struct index_reader *reader, const struct nest_place *place,
                           const struct nest_axis *axis, int64_t count)
{
    enum { NEXT = sizeof(int64_t) };
    const uint64_t size = (uint64_t)reader->entry->size;
    /* No dim is so long: those are offsets of masks, to which nothing may be added. */
    const uint64_t below = reader->entry->is_strict || size > INT64_MAX / 2 ? 0 : size;
    const unsigned char *source = reader->address + place->offset[0] * NEXT;
    const int64_t apart = axis->stride[0] * NEXT;
    index_has_beyond *const has_beyond = beyond_of[reader->entry->level];
    if (!has_beyond(source, apart, count, size, below))
        return count;
    int64_t legal = 0;
    while (legal < count && !has_beyond(source + legal * apart, apart, 1, size, below))
        legal++;
    return legal;
}

/* An index that is not from 0 to size - 1: most often one that counts from the end. What has been checked
 * before may have changed since: it becomes index 0. */
static int64_t from_end(int64_t value, int64_t size, int64_t wrap)
{
    value += value < 0 ? wrap : 0;
    return (uint64_t)value < (uint64_t)size ? value : 0;
}

/* Their offsets. */
static inline __attribute__((always_inline)) void take_some(const unsigned char *source, int64_t apart,
                                                            const struct index_entry *entry, int64_t step,
                                                            int64_t target, int64_t along, int64_t *offset,
                                                            int64_t count)
{
    const int64_t size = entry->size, wrap = entry->is_strict ? 0 : size;
    for (int64_t i = 0; i < count; i++) {
        int64_t value;
        memcpy(&value, source + i * apart, sizeof value);
        if (__builtin_expect((uint64_t)value >= (uint64_t)size, 0))
            value = from_end(value, size, wrap);
        offset[i] = value * step + target + i * along;
    }
}

static void take_offsets(const struct index_reader *reader, const struct nest_place *place,
                         const struct nest_axis *axis, int64_t *offset, int64_t count)
{
    enum { NEXT = sizeof(int64_t) };
    const int64_t step = reader->entry->step, target = place->offset[1];
    const unsigned char *source = reader->address + place->offset[0] * NEXT;
    if (axis->stride[0] == 1 && axis->stride[1] == 0 && step == 1)
        take_some(source, NEXT, reader->entry, 1, target, 0, offset, count);
    else if (axis->stride[0] == 1 && axis->stride[1] == 1)
        take_some(source, NEXT, reader->entry, step, target, 1, offset, count);
    else
        take_some(source, axis->stride[0] * NEXT, reader->entry, step, target, axis->stride[1], offset,
                  count);
}

static int64_t read_row(const struct index_reader *reader, const struct nest_place *place,
                        const struct nest_axis *axis, int64_t *offset, int64_t count)
{
    if (!index_is_plain(reader->entry) || reader->adds)
        return read_any_row(reader, place, axis, offset, count);
    const int64_t legal = count_legal(reader, place, axis, count);
    if (offset != NULL)
        take_offsets(reader, place, axis, offset, legal);
    return legal;
}

static void read_share(void *context, uint64_t position, uint64_t share)
{
    struct index_reader *reader = context;
    const struct nest *nest = &reader->nest;
    const struct nest_axis axis = nest_inner(nest);
    const uint64_t last = position + share;
    struct nest_place place = nest_place_at(nest, position);
    while (position < last) {
        int64_t count = nest_left(nest, &place);
        count = count < (int64_t)(last - position) ? count : (int64_t)(last - position);
        int64_t legal =
            read_row(reader, &place, &axis, reader->offset != NULL ? reader->offset + position : NULL, count);
        position += (uint64_t)legal;
        nest_advance(nest, &place, (uint64_t)legal);
        if (legal == count)
            continue;
        note_fault(&reader->first_fault, position);
        return;
    }
}

/* "indices[1] holds 12 at [3, 4]; -10 to 9 are expected": the position in the entry's own shape. */
static int tell_fault(const struct index_reader *reader)
{
    const struct index_entry *entry = reader->entry;
    char place[8 + 21 * OPERAND_RANK_MAX] = "", which[16] = "";
    uint64_t position = atomic_load(&reader->first_fault);
    const int64_t value = value_at(reader, nest_place_at(&reader->nest, position).offset[0]);
    int64_t index[OPERAND_RANK_MAX] = {0};
    size_t length = 0;
    for (uint32_t i = reader->shape->rank; i-- > 0; position /= (uint64_t)reader->shape->dim[i])
        index[i] = (int64_t)(position % (uint64_t)reader->shape->dim[i]);
    for (uint32_t i = 0; i < entry->rank; i++) {
        const int64_t own = entry->shape[i] == 1 ? 0 : index[i + reader->shape->rank - entry->rank];
        length +=
            (size_t)snprintf(place + length, sizeof place - length, "%s%" PRId64, i > 0 ? ", " : "", own);
    }
    if (entry->element >= 0)
        snprintf(which, sizeof which, "[%d]", (int)entry->element);
    const int64_t least = entry->is_left_out_at && entry->left_out < 0 ? entry->left_out
                          : entry->is_strict                           ? 0
                                                                       : -entry->size;
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                          "%s%s holds %" PRId64 " at [%s]; %" PRId64 " to %" PRId64 " are expected",
                          entry->name, which, value, place, least, entry->size - 1);
}

void index_reader_begin(struct index_reader *reader, const struct index_entry *entry, const void *address,
                        const struct shape *shape)
{
    const uint32_t missing = shape->rank - entry->rank;
    *reader = (struct index_reader){.entry = entry, .address = address, .shape = shape};
    atomic_init(&reader->first_fault, UINT64_MAX);
    nest_begin(&reader->nest, 2);
    for (uint32_t i = 0; i < shape->rank; i++) {
        const bool repeats = i < missing || entry->shape[i - missing] == 1;
        const int64_t own = repeats ? 0 : entry->stride[i - missing];
        nest_add(&reader->nest, shape->dim[i], (const int64_t[]){own, entry->along[i]});
    }
    if (reader->nest.count > 0)
        nest_merge(&reader->nest);
}

int index_read(const struct index_entry *entry, const void *address, const struct shape *shape, bool adds,
               int64_t *offset)
{
    struct index_reader reader;
    index_reader_begin(&reader, entry, address, shape);
    reader.adds = adds;
    reader.offset = offset;
    const uint64_t count = reader.nest.count;
    if (count == 0)
        return 0;
    pieces_run(read_share, &reader, count, READ_SHARE, 4, count * READ_PS / 1000);
    return atomic_load(&reader.first_fault) == UINT64_MAX ? 0 : tell_fault(&reader);
}

/* Elements of a row of the shape: where their indices lie, and bytes from each element to the next. */
struct taken_row {
    const unsigned char *index, *from;
    unsigned char *to;
    int64_t apart, step, along, to_step; /* of indices, by an index, along the row, of what is written */
    int64_t size, wrap, count;
};

/* As take_some, with the element of each index instead of its offset. Callers make constants of the steps that
 * they know. */
static inline __attribute__((always_inline)) void take_elements(const struct taken_row *row, size_t bytes,
                                                                int64_t apart, int64_t step, int64_t along,
                                                                int64_t to_step)
{
    const unsigned char *index = row->index, *from = row->from;
    unsigned char *to = row->to;
    const int64_t size = row->size, wrap = row->wrap, count = row->count;
#pragma GCC unroll 4
    for (int64_t i = 0; i < count; i++) {
        int64_t value;
        memcpy(&value, index + i * apart, sizeof value);
        if (__builtin_expect((uint64_t)value >= (uint64_t)size, 0))
            value = from_end(value, size, wrap);
        memcpy(to + i * to_step, from + value * step + i * along, bytes);
    }
}

static inline __attribute__((always_inline)) void take_row(const void *work, size_t bytes)
{
    const struct taken_row *row = work;
    const int64_t next = sizeof(int64_t), one = (int64_t)bytes;
    const bool is_plain = row->apart == next && row->to_step == one;
    if (is_plain && row->along == 0 && row->step == one)
        take_elements(row, bytes, next, one, 0, one);
    else if (is_plain && row->along == one)
        take_elements(row, bytes, next, row->step, one, one);
    else
        take_elements(row, bytes, row->apart, row->step, row->along, row->to_step);
}

void index_reader_take(const struct index_reader *reader, uint64_t position, uint64_t count,
                       const unsigned char *from, unsigned char *to, int64_t to_step, int64_t bytes)
{
    const struct index_entry *entry = reader->entry;
    const struct nest *nest = &reader->nest;
    const struct nest_axis axis = nest_inner(nest);
    struct nest_place place = nest_place_at(nest, position);
    struct taken_row row = {.to = to,
                            .apart = axis.stride[0] * (int64_t)sizeof(int64_t),
                            .step = entry->step * bytes,
                            .along = axis.stride[1] * bytes,
                            .to_step = to_step * bytes,
                            .size = entry->size,
                            .wrap = entry->is_strict ? 0 : entry->size};
    for (; count > 0; count -= (uint64_t)row.count, row.to += row.count * row.to_step) {
        const uint64_t left = (uint64_t)nest_left(nest, &place);
        row.count = (int64_t)(left < count ? left : count);
        row.index = reader->address + place.offset[0] * (int64_t)sizeof(int64_t);
        row.from = from + place.offset[1] * bytes;
        by_element_bytes(take_row, &row, (uint64_t)bytes);
        nest_advance(nest, &place, (uint64_t)row.count);
    }
}

#endif
