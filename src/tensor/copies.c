/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "tensor/copies.h"

#include <string.h>

#include "tensor/scratch.h"

/* Bytes from the first element to behind the last one; none of what has no address. */
struct range {
    uintptr_t begin, end;
};

static inline size_t extent(const struct executor_operand *operand)
{
    return ((size_t)(operand->reach - operand->offset) + 1) * operand->element_bytes;
}

static inline struct range range_of(const struct executor_operand *operand, const void *first)
{
    const uintptr_t begin = (uintptr_t)first;
    return (struct range){begin, first != NULL ? begin + extent(operand) : begin};
}

static inline bool meet(struct range a, struct range b)
{
    return a.begin < b.end && b.begin < a.end;
}

static inline bool is_only_read(const struct executor_operand *operand)
{
    return operand->input != OPERAND_IN_NO_PLACE && operand->output == OPERAND_IN_NO_PLACE;
}

static inline bool is_written(const struct executor_operand *operand)
{
    return operand->output != OPERAND_IN_NO_PLACE;
}

/* How many operands, from the first one on, are of one parameter. */
static inline uint32_t tensors_of(const struct executor_operand *operand)
{
    return operand->list_length > 0 ? operand->list_length : 1;
}

/* The memory around all that is written; how many operands that are, and one of them. */
struct written {
    struct range range;
    uint32_t count, last;
};

static inline struct written written_of(const struct executor_content *content, void *const *address)
{
    struct written written = {.range = {UINTPTR_MAX, 0}};
    for (uint32_t i = 0; i < content->operand_count; i++) {
        if (!is_written(&content->operand[i]) || address[i] == NULL)
            continue;
        const struct range range = range_of(&content->operand[i], address[i]);
        written.range.begin = range.begin < written.range.begin ? range.begin : written.range.begin;
        written.range.end = range.end > written.range.end ? range.end : written.range.end;
        written.last = i;
        written.count++;
    }
    return written;
}

/* The call's operands, where they lie. */
struct places {
    const struct executor_operand *operand;
    void *const *address;
    uint32_t count;
    bool goes_by_index;
    struct range written;
};

static struct places places_of(const struct executor_content *content, void *const *address)
{
    return (struct places){.operand = content->operand,
                           .address = address,
                           .count = content->operand_count,
                           .goes_by_index = content->runs->run_index != NULL,
                           .written = written_of(content, address).range};
}

/* Whether what is read there is one that is written, as it may be. */
static inline bool is_in_place(const struct executor_operand *operand, void *const *address, uint32_t read,
                               uint32_t written)
{
    const struct executor_operand *a = &operand[read], *b = &operand[written];
    return address[read] == address[written] && (a->may_be >> b->output & 1) != 0 && a->element == b->element;
}

/* Whether an operand that is only read meets one that is written, of the parameter whose operands begin
 * there.
 */
static bool meets_any_of(const struct places *places, uint32_t read, struct range range, uint32_t first)
{
    const struct executor_operand *reader = &places->operand[read], *head = &places->operand[first];
    uint32_t begin = first, end = first + tensors_of(head);
    if (places->goes_by_index && reader->list_length > 0 && head->list_length > 0) {
        begin = first + reader->element;
        end = reader->element < head->list_length ? begin + 1 : begin;
    }
    for (uint32_t i = begin; i < end; i++)
        if (meet(range, range_of(&places->operand[i], places->address[i])) &&
            !is_in_place(places->operand, places->address, read, i))
            return true;
    return false;
}

/* Bytes of the copy of an operand, in whole lines; 0 where it needs none. */
static size_t copy_bytes(const struct places *places, uint32_t read)
{
    const struct executor_operand *operand = &places->operand[read];
    const struct range range = range_of(operand, places->address[read]);
    if (!is_only_read(operand) || !meet(range, places->written))
        return 0;
    for (uint32_t i = 0; i < places->count; i += tensors_of(&places->operand[i]))
        if (is_written(&places->operand[i]) && meets_any_of(places, read, range, i))
            return whole_lines(extent(operand));
    return 0;
}

/* Whether an operand is copied when the turn of its index comes, and not before everything. */
static inline bool has_turn(const struct places *places, uint32_t operand)
{
    return places->goes_by_index && places->operand[operand].list_length > 0;
}

/* The copies of an index; each takes the place of the one before. */
static size_t index_bytes(const struct places *places, uint64_t index)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < places->count; i += tensors_of(&places->operand[i]))
        if (index < places->operand[i].list_length)
            bytes += copy_bytes(places, i + (uint32_t)index);
    return bytes;
}

static uint64_t indices_of(const struct places *places)
{
    uint64_t most = 0;
    for (uint32_t i = 0; places->goes_by_index && i < places->count; i += tensors_of(&places->operand[i]))
        most = places->operand[i].list_length > most ? places->operand[i].list_length : most;
    return most;
}

static size_t address_bytes(const struct places *places)
{
    return whole_lines(places->count * sizeof(void *));
}

static __attribute__((noinline)) size_t add_up(const struct executor_content *content, void *const *address)
{
    const struct places places = places_of(content, address);
    size_t bytes = 0, of_index = 0;
    for (uint32_t i = 0; i < places.count; i++)
        if (!has_turn(&places, i))
            bytes += copy_bytes(&places, i);
    for (uint64_t k = 0, indices = indices_of(&places); k < indices; k++) {
        const size_t own = index_bytes(&places, k);
        of_index = own > of_index ? own : of_index;
    }
    return bytes + of_index > 0 ? address_bytes(&places) + bytes + of_index : 0;
}

/* Nearly always nothing that is read meets the memory around all that is written, or it is the one output. */
size_t copies_bytes(const struct executor_content *content, void *const *address)
{
    const struct executor_operand *operand = content->operand;
    if (content->runs->reads_first)
        return 0;
    const struct written written = written_of(content, address);
    for (uint32_t i = 0; i < content->operand_count; i++) {
        if (!is_only_read(&operand[i]) || !meet(range_of(&operand[i], address[i]), written.range))
            continue;
        if (written.count > 1 || !is_in_place(operand, address, i, written.last))
            return add_up(content, address);
    }
    return 0;
}

/* Copies an operand, if it needs that, and leads its address there; what is left of the room. */
static unsigned char *take_copy(const struct places *places, uint32_t operand, void **own,
                                unsigned char *room)
{
    const size_t bytes = copy_bytes(places, operand);
    if (bytes == 0)
        return room;
    own[operand] = memcpy(room, places->address[operand], extent(&places->operand[operand]));
    return room + bytes;
}

int copies_run(const struct executor_content *content, void *const *address, void *scratch, size_t bytes)
{
    const struct places places = places_of(content, address);
    const struct operation *runs = content->runs;
    const bool works = runs->work_bytes != NULL && runs->work_bytes(content->plan) > 0;
    void **own = scratch, *work = works ? (unsigned char *)scratch + bytes : NULL;
    unsigned char *room = (unsigned char *)scratch + address_bytes(&places);
    memcpy(own, address, places.count * sizeof *own);
    for (uint32_t i = 0; i < places.count; i++)
        if (!has_turn(&places, i))
            room = take_copy(&places, i, own, room);
    if (!places.goes_by_index)
        return runs->run(content->plan, own, work);
    int status = 0;
    for (uint64_t k = 0, indices = indices_of(&places); k < indices && status == 0; k++) {
        unsigned char *rest = room;
        for (uint32_t i = 0; i < places.count; i += tensors_of(&places.operand[i]))
            if (k < places.operand[i].list_length)
                rest = take_copy(&places, i + (uint32_t)k, own, rest);
        status = runs->run_index(content->plan, k, own, work);
    }
    return status;
}
