/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The first pass over indices: from numbers in tensors to offsets that are known to be in range.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "ops/index/index.h"
#include "runtime/fault.h"
#include "runtime/workers.h"

/* Positions that a thread takes at once, and picoseconds for one. */
enum { READ_SHARE = 1 << 14, READ_PS = 1500 };

struct reader {
    const struct index_entry *entry;
    const unsigned char *address;
    const struct shape *shape;
    int64_t stride[OPERAND_RANK_MAX]; /* of the entry along each dim of the shape */
    uint64_t count;
    bool adds;
    int64_t *offset;
    _Atomic uint64_t first_fault; /* the lowest position whose index is not legal */
};

void index_describe(struct index_entry *entry, const struct call *call, unsigned parameter, int32_t element)
{
    const struct tensor_view *view =
        element < 0 ? &call->tensor[parameter] : &call->values[parameter].value.tensor[element];
    *entry = (struct index_entry){
        .name = call->function->parameter[parameter].name,
        .element = element,
        .operand = call->first_operand[parameter] + (element < 0 ? 0 : (uint32_t)element),
        .dtype = view->dtype,
        .rank = view->rank,
    };
    memcpy(entry->shape, view->shape, view->rank * sizeof view->shape[0]);
    memcpy(entry->stride, view->stride, view->rank * sizeof view->stride[0]);
}

/* Dims from the last one on: the entry's strides along those of the shape, 0 where it broadcasts. */
static void set_strides(struct reader *reader)
{
    const struct index_entry *entry = reader->entry;
    const uint32_t missing = reader->shape->rank - entry->rank;
    for (uint32_t i = 0; i < reader->shape->rank; i++)
        reader->stride[i] = i < missing || entry->shape[i - missing] == 1 ? 0 : entry->stride[i - missing];
}

/* The indices of a position, and the element of the entry there. */
static int64_t find(const struct reader *reader, uint64_t position, int64_t index[OPERAND_RANK_MAX])
{
    int64_t element = 0;
    for (uint32_t i = reader->shape->rank; i-- > 0;) {
        const uint64_t size = (uint64_t)reader->shape->dim[i];
        index[i] = (int64_t)(position % size);
        position /= size;
        element += index[i] * reader->stride[i];
    }
    return element;
}

static int64_t value_at(const struct reader *reader, int64_t element)
{
    if (reader->entry->dtype == ACL_INT32) {
        int32_t value;
        memcpy(&value, reader->address + element * 4, sizeof value);
        return value;
    }
    int64_t value;
    memcpy(&value, reader->address + element * 8, sizeof value);
    return value;
}

/* Offsets of one row of the shape; the number of legal indices in front. */
static int64_t read_row(const struct reader *reader, int64_t element, int64_t stride, int64_t *offset,
                        int64_t count)
{
    const int64_t size = reader->entry->size, step = reader->entry->step;
    for (int64_t i = 0; i < count; i++) {
        int64_t value = value_at(reader, element + i * stride);
        value += value < 0 ? size : 0; /* in 64 bits: size > 0 and value < 0 */
        if (value < 0 || value >= size)
            return i;
        offset[i] = (reader->adds ? offset[i] : 0) + value * step;
    }
    return count;
}

static void read_share(void *context, uint64_t begin, uint64_t end)
{
    struct reader *reader = context;
    uint64_t position = begin * READ_SHARE, last = end * READ_SHARE;
    last = last < reader->count ? last : reader->count;
    const uint32_t rank = reader->shape->rank;
    while (position < last) {
        int64_t index[OPERAND_RANK_MAX] = {0};
        int64_t element = find(reader, position, index);
        int64_t stride = rank > 0 ? reader->stride[rank - 1] : 0;
        int64_t count = rank > 0 ? reader->shape->dim[rank - 1] - index[rank - 1] : 1;
        count = count < (int64_t)(last - position) ? count : (int64_t)(last - position);
        int64_t legal = read_row(reader, element, stride, reader->offset + position, count);
        position += (uint64_t)legal;
        if (legal == count)
            continue;
        uint64_t known = atomic_load(&reader->first_fault);
        while (position < known && !atomic_compare_exchange_weak(&reader->first_fault, &known, position))
            ;
        return;
    }
}

/* "indices[1] holds 12 at [3, 4]; -10 to 9 are expected": the position in the entry's own shape. */
static int tell_fault(const struct reader *reader)
{
    const struct index_entry *entry = reader->entry;
    int64_t index[OPERAND_RANK_MAX] = {0};
    char place[8 + 21 * OPERAND_RANK_MAX] = "", which[16] = "";
    size_t length = 0;
    int64_t value = value_at(reader, find(reader, atomic_load(&reader->first_fault), index));
    for (uint32_t i = 0; i < entry->rank; i++) {
        uint32_t dim = i + reader->shape->rank - entry->rank;
        int64_t own = entry->shape[i] == 1 ? 0 : index[dim];
        length +=
            (size_t)snprintf(place + length, sizeof place - length, "%s%" PRId64, i > 0 ? ", " : "", own);
    }
    if (entry->element >= 0)
        snprintf(which, sizeof which, "[%d]", (int)entry->element);
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                          "%s%s holds %" PRId64 " at [%s]; %" PRId64 " to %" PRId64 " are expected",
                          entry->name, which, value, place, -entry->size, entry->size - 1);
}

int index_read(const struct index_entry *entry, const void *address, const struct shape *shape, bool adds,
               int64_t *offset)
{
    struct reader reader = {.entry = entry,
                            .address = address,
                            .shape = shape,
                            .count = 1,
                            .adds = adds,
                            .offset = offset,
                            .first_fault = UINT64_MAX};
    for (uint32_t i = 0; i < shape->rank; i++)
        reader.count *= (uint64_t)shape->dim[i];
    if (reader.count == 0)
        return 0;
    set_strides(&reader);
    workers_share(read_share, &reader, (reader.count - 1) / READ_SHARE + 1, 4, reader.count * READ_PS / 1000);
    return atomic_load(&reader.first_fault) == UINT64_MAX ? 0 : tell_fault(&reader);
}
