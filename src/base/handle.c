/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The table behind handles: growth, the lock-free list of free slots, and the words for messages.
 */
#include "base/handle.h"

#include <stdlib.h>

#include "base/made.h"

static const uint64_t TAG_MASK = UINT64_C(7) << 61;

static void push(struct handle_table *table, struct handle_slot *slot)
{
    uint64_t head = atomic_load_explicit(&table->free_list, memory_order_relaxed);
    uint64_t changed;
    do {
        atomic_store_explicit(&slot->next, (uint32_t)head, memory_order_relaxed);
        changed = ((head >> 32) + 1) << 32 | (slot->index + 1);
    } while (!atomic_compare_exchange_weak_explicit(&table->free_list, &head, changed, memory_order_release,
                                                    memory_order_relaxed));
}

/* The change count in the upper half makes a list that went A, B, A differ from the one that was read. */
static struct handle_slot *pop(struct handle_table *table)
{
    uint64_t head = atomic_load_explicit(&table->free_list, memory_order_acquire);
    for (;;) {
        if ((uint32_t)head == 0)
            return NULL;
        struct handle_slot *slot = (struct handle_slot *)handle_slot_at(table, (uint32_t)head - 1);
        uint32_t next = atomic_load_explicit(&slot->next, memory_order_relaxed);
        uint64_t changed = ((head >> 32) + 1) << 32 | next;
        if (atomic_compare_exchange_weak_explicit(&table->free_list, &head, changed, memory_order_acquire,
                                                  memory_order_acquire))
            return slot;
    }
}

/* Adds the next chunk and returns one of its slots; the others go to the free list. */
static struct handle_slot *grow(struct handle_table *table)
{
    pthread_mutex_lock(&table->growth);
    struct handle_slot *slot = pop(table); /* another thread may have grown the table meanwhile */
    uint32_t first = atomic_load_explicit(&table->slot_count, memory_order_relaxed);
    if (slot == NULL && first < table->limit) {
        uint32_t place = first + HANDLE_FIRST_CHUNK;
        unsigned chunk = (31u ^ (unsigned)__builtin_clz(place)) - HANDLE_FIRST_BIT;
        uint32_t count = (uint32_t)HANDLE_FIRST_CHUNK << chunk;
        unsigned char *memory =
            (unsigned char *)calloc(1, (size_t)count * table->object_bytes + HANDLE_ALIGNMENT - 1);
        if (memory != NULL) {
            unsigned char *base = memory + (-(uintptr_t)memory & (HANDLE_ALIGNMENT - 1));
            if (count > table->limit - first)
                count = table->limit - first;
            for (uint32_t i = 0; i < count; i++)
                ((struct handle_slot *)(void *)(base + (size_t)i * table->object_bytes))->index = first + i;
            table->chunks[chunk] = memory;
            atomic_store_explicit(&table->origins[chunk],
                                  (uintptr_t)base - (uintptr_t)place * table->object_bytes,
                                  memory_order_release);
            atomic_store_explicit(&table->slot_count, first + count, memory_order_release);
            for (uint32_t i = count - 1; i > 0; i--)
                push(table, (struct handle_slot *)handle_slot_at(table, first + i));
            slot = (struct handle_slot *)(void *)base;
        }
    }
    pthread_mutex_unlock(&table->growth);
    return slot;
}

void *handle_acquire(struct handle_table *table)
{
    struct handle_slot *slot = pop(table);
    return slot != NULL ? slot : grow(table);
}

/* The handle that the slot had last. */
static uint64_t last_handle(const struct handle_table *table, const struct handle_slot *slot)
{
    return HANDLE_TAG | (uint64_t)table->kind << HANDLE_KIND_SHIFT |
           (uint64_t)slot->generation << HANDLE_GENERATION_SHIFT | slot->index;
}

void handle_release(struct handle_table *table, void *object)
{
    struct handle_slot *slot = (struct handle_slot *)object;
    made_end(last_handle(table, slot));
    if (slot->generation != UINT32_MAX)
        push(table, slot);
}

const char *handle_kind_name(enum handle_kind kind)
{
    static const char *const names[HANDLE_KINDS] = {
        [HANDLE_TENSOR] = "tensor",
        [HANDLE_SCALAR] = "scalar",
        [HANDLE_INT_ARRAY] = "int array",
        [HANDLE_FLOAT_ARRAY] = "float array",
        [HANDLE_BOOL_ARRAY] = "bool array",
        [HANDLE_TENSOR_LIST] = "tensor list",
        [HANDLE_SCALAR_LIST] = "scalar list",
        [HANDLE_EXECUTOR] = "executor",
        [HANDLE_CONTEXT] = "context",
        [HANDLE_STREAM] = "stream",
        [HANDLE_EVENT] = "event",
        [HANDLE_DATA_BUFFER] = "data buffer",
        [HANDLE_MODEL_DESC] = "description of a model",
        [HANDLE_DATASET] = "data set",
        [HANDLE_OPERATOR] = "handle of an operator",
        [HANDLE_TASK_GROUP] = "group of tasks",
        [HANDLE_CHANNEL] = "channel",
        [HANDLE_CHANNEL_DATASET] = "data set of a channel",
        [HANDLE_DATA_ITEM] = "item of a data set",
        [HANDLE_ALLOCATOR] = "description of an allocator",
        [HANDLE_TENSOR_DESC] = "tensor description",
        [HANDLE_STREAM_CONFIG] = "stream configuration",
        [HANDLE_OP_ATTRIBUTE] = "set of operator attributes",
        [HANDLE_PHYSICAL_MEMORY] = "piece of physical memory",
        [HANDLE_GRAPH] = "graph",
        [HANDLE_COMMUNICATOR] = "communicator",
        [HANDLE_PROFILE_CONFIG] = "configuration of the profiler",
        [HANDLE_STAMP] = "stamp",
        [HANDLE_STEP_INFO] = "step",
        [HANDLE_MARK_DOMAIN] = "domain of marks",
    };
    return kind > 0 && kind < HANDLE_KINDS ? names[kind] : "unknown object";
}

/* 0 where the number is no handle. */
static uint32_t kind_of(uint64_t handle)
{
    uint32_t kind = (uint32_t)(handle >> HANDLE_KIND_SHIFT) & 31;
    return (handle & TAG_MASK) == HANDLE_TAG && kind < HANDLE_KINDS ? kind : 0;
}

bool handle_was_destroyed(const struct handle_table *table, uint64_t handle)
{
    uint32_t index = (uint32_t)handle & ((1u << HANDLE_INDEX_BITS) - 1);
    uint32_t generation = (uint32_t)(handle >> HANDLE_GENERATION_SHIFT);
    return kind_of(handle) == (uint32_t)table->kind && generation != 0 &&
           index < atomic_load_explicit(&table->slot_count, memory_order_acquire);
}

const char *handle_fault(const struct handle_table *table, uint64_t handle)
{
    static const char *const other_kind[HANDLE_KINDS] = {
        [HANDLE_TENSOR] = "is a tensor",
        [HANDLE_SCALAR] = "is a scalar",
        [HANDLE_INT_ARRAY] = "is an int array",
        [HANDLE_FLOAT_ARRAY] = "is a float array",
        [HANDLE_BOOL_ARRAY] = "is a bool array",
        [HANDLE_TENSOR_LIST] = "is a tensor list",
        [HANDLE_SCALAR_LIST] = "is a scalar list",
        [HANDLE_EXECUTOR] = "is an executor",
        [HANDLE_CONTEXT] = "is a context",
        [HANDLE_STREAM] = "is a stream",
        [HANDLE_EVENT] = "is an event",
        [HANDLE_DATA_BUFFER] = "is a data buffer",
        [HANDLE_MODEL_DESC] = "is a description of a model",
        [HANDLE_DATASET] = "is a data set",
        [HANDLE_OPERATOR] = "is a handle of an operator",
        [HANDLE_TASK_GROUP] = "is a group of tasks",
        [HANDLE_TENSOR_DESC] = "is a tensor description",
        [HANDLE_STREAM_CONFIG] = "is a stream configuration",
        [HANDLE_OP_ATTRIBUTE] = "is a set of operator attributes",
        [HANDLE_PHYSICAL_MEMORY] = "is a piece of physical memory",
        [HANDLE_GRAPH] = "is a graph",
        [HANDLE_COMMUNICATOR] = "is a communicator",
        [HANDLE_PROFILE_CONFIG] = "is a configuration of the profiler",
        [HANDLE_STAMP] = "is a stamp",
        [HANDLE_STEP_INFO] = "is a step",
        [HANDLE_MARK_DOMAIN] = "is a domain of marks",
        [HANDLE_CHANNEL] = "is a channel",
        [HANDLE_CHANNEL_DATASET] = "is a data set of channels",
        [HANDLE_DATA_ITEM] = "is an item of a data set",
        [HANDLE_ALLOCATOR] = "is a description of an allocator",
    };
    uint32_t kind = kind_of(handle);
    if (handle == 0)
        return "is NULL";
    if (handle_was_destroyed(table, handle))
        return "was destroyed";
    return kind != 0 && kind != (uint32_t)table->kind ? other_kind[kind] : "is not a handle of this library";
}
