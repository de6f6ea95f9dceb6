/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Handles: what programs hold instead of pointers to our objects. A handle is a number in a part of the
 * address space that no processor maps, made of a kind, a generation and an index. It is looked up, never
 * dereferenced, so that a stale, forged, foreign or wrong-kind handle is an error with a message and nothing
 * worse.
 *
 *   bits 63..61  010: not a canonical address on x86-64 or AArch64, and positive as a signed number
 *   bits 60..56  kind
 *   bits 55..24  generation of the slot, never 0
 *   bits 23..0   index of the slot
 *
 * Slots are type-stable: their memory is never given back, so a reader that lost a race with a destroy reads
 * an old object of the same type, not foreign memory. A reader therefore copies what it needs through atomic
 * loads and then asks handle_is_live() again; a writer that needs the object to stay takes a claim of its
 * own, as streams and executors do.
 */
#ifndef BELAY_BASE_HANDLE_H
#define BELAY_BASE_HANDLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/export.h"

enum handle_kind {
    HANDLE_TENSOR = 1,
    HANDLE_SCALAR,
    HANDLE_INT_ARRAY,
    HANDLE_FLOAT_ARRAY,
    HANDLE_BOOL_ARRAY,
    HANDLE_TENSOR_LIST,
    HANDLE_SCALAR_LIST,
    HANDLE_EXECUTOR,
    HANDLE_CONTEXT,
    HANDLE_STREAM,
    HANDLE_EVENT,
    HANDLE_DATA_BUFFER,
    HANDLE_TENSOR_DESC,
    HANDLE_STREAM_CONFIG,
    HANDLE_OP_ATTRIBUTE,
    HANDLE_PHYSICAL_MEMORY,
    HANDLE_GRAPH,
    HANDLE_COMMUNICATOR,
    HANDLE_PROFILE_CONFIG,
    HANDLE_STAMP,
    HANDLE_STEP_INFO,
    HANDLE_MARK_DOMAIN,
    HANDLE_MODEL_DESC,
    HANDLE_DATASET,
    HANDLE_OPERATOR,
    HANDLE_TASK_GROUP,
    HANDLE_CHANNEL,
    HANDLE_CHANNEL_DATASET,
    HANDLE_DATA_ITEM,
    HANDLE_ALLOCATOR,
    HANDLE_KINDS
};

/* The first member of every object that lives in a table. */
struct handle_slot {
    _Atomic uint64_t handle; /* the handle that names this object; 0 while it has none */
    uint32_t index;          /* constant once the slot exists */
    uint32_t generation;     /* of the current or the last handle; owned by whoever owns the object */
    _Atomic uint32_t next;   /* in its list: index + 1 of the next free slot, 0 at the end */
};

/*
 * Chunk k holds HANDLE_FIRST_CHUNK << k slots and never moves. Slots are found by place, which is index +
 * HANDLE_FIRST_CHUNK: the number of its highest bit, less HANDLE_FIRST_BIT, is the chunk's.
 */
enum { HANDLE_INDEX_BITS = 24, HANDLE_FIRST_BIT = 6, HANDLE_FIRST_CHUNK = 1 << HANDLE_FIRST_BIT };
enum { HANDLE_CHUNKS = HANDLE_INDEX_BITS - HANDLE_FIRST_BIT };

/* What all chunks of a table hold. */
enum { HANDLES_MAX = (1 << HANDLE_INDEX_BITS) - HANDLE_FIRST_CHUNK };

/* How the first slot of a chunk is aligned: objects of whole cache lines begin at one. */
enum { HANDLE_ALIGNMENT = 64 };

enum { HANDLE_KIND_SHIFT = 56, HANDLE_GENERATION_SHIFT = HANDLE_INDEX_BITS };
static const uint64_t HANDLE_TAG = UINT64_C(2) << 61;

struct handle_table {
    const enum handle_kind kind;
    const uint32_t object_bytes; /* sizeof the object; its first member is a struct handle_slot */
    const uint32_t limit;        /* greatest number of objects, at most HANDLES_MAX */
    _Atomic uint64_t free_list;  /* change count << 32 | index + 1 of the first free slot, or 0 */
    _Atomic uint32_t slot_count; /* slots with index below this exist; written after their origin */
    _Atomic uintptr_t origins[HANDLE_CHUNKS]; /* of the chunks: where a slot of place 0 would be */
    unsigned char *chunks[HANDLE_CHUNKS];     /* for those who look for leaks; guarded by growth */
    pthread_mutex_t growth;                   /* held while a chunk is added */
};

#define HANDLE_TABLE(kind_, type_, limit_)                                 \
    {                                                                      \
        .kind = (kind_), .object_bytes = sizeof(type_), .limit = (limit_), \
        .growth = PTHREAD_MUTEX_INITIALIZER                                \
    }

/*
 * A slot without a handle, its memory as its last owner left it (zero at first); NULL when memory or the
 * limit is reached. The caller fills in the object and then publishes it. Any thread.
 */
void *handle_acquire(struct handle_table *table) SHARED(handle_acquire);

/* Returns a slot that has no handle. A slot whose generations are used up is not given out again. */
void handle_release(struct handle_table *table, void *object) SHARED(handle_release);

/* The word for a kind in messages: "tensor", "stream", ... */
const char *handle_kind_name(enum handle_kind kind) SHARED(handle_kind_name);

/*
 * Says what is wrong with a handle that a lookup refused, for a message: "is NULL", "was destroyed", "is a
 * stream", "is not a handle of this library". table is the one that it was looked up in.
 */
const char *handle_fault(const struct handle_table *table, uint64_t handle) SHARED(handle_fault);

/* Whether what is wrong with it is that its object was destroyed. */
bool handle_was_destroyed(const struct handle_table *table, uint64_t handle) SHARED(handle_was_destroyed);

/* Gives the object its handle and makes it visible to lookups. */
static inline uint64_t handle_publish(const struct handle_table *table, void *object)
{
    struct handle_slot *slot = (struct handle_slot *)object;
    slot->generation++;
    uint64_t handle = HANDLE_TAG | (uint64_t)table->kind << HANDLE_KIND_SHIFT |
                      (uint64_t)slot->generation << HANDLE_GENERATION_SHIFT | slot->index;
    atomic_store_explicit(&slot->handle, handle, memory_order_release);
    return handle;
}

/* index is below slot_count. */
static inline void *handle_slot_at(const struct handle_table *table, uint32_t index)
{
    uint32_t place = index + HANDLE_FIRST_CHUNK;
    unsigned chunk = (31u ^ (unsigned)__builtin_clz(place)) - HANDLE_FIRST_BIT;
    uintptr_t origin = atomic_load_explicit(&table->origins[chunk], memory_order_relaxed);
    return (void *)(origin + (uintptr_t)place * table->object_bytes);
}

/* True while the object still has this handle. Orders all loads before it: a copy made earlier is of this
 * object. */
static inline bool handle_is_live(const void *object, uint64_t handle)
{
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&((const struct handle_slot *)object)->handle, memory_order_relaxed) ==
           handle;
}

/*
 * Takes the handle off the object: from here on lookups fail. True for exactly one of several racing callers,
 * who then owns the object, tears it down and releases its slot.
 */
static inline bool handle_retire(void *object, uint64_t handle)
{
    return handle != 0 &&
           atomic_compare_exchange_strong_explicit(&((struct handle_slot *)object)->handle, &handle, 0,
                                                   memory_order_acq_rel, memory_order_relaxed);
}

/* The lookup where the object is likely to be this one, or NULL: whether it has the handle. */
static inline bool handle_names(uint64_t handle, const void *object)
{
    return object != NULL && handle != 0 &&
           atomic_load_explicit(&((const struct handle_slot *)object)->handle, memory_order_acquire) ==
               handle;
}

/* The object, or NULL. The object may lose its handle at any time afterwards: see the top of this file. */
static inline void *handle_find(const struct handle_table *table, uint64_t handle)
{
    uint32_t index = (uint32_t)handle & ((1u << HANDLE_INDEX_BITS) - 1);
    if (__builtin_expect(
            index >= atomic_load_explicit(&table->slot_count, memory_order_acquire) || handle == 0, 0))
        return NULL;
    struct handle_slot *slot = (struct handle_slot *)handle_slot_at(table, index);
    return __builtin_expect(atomic_load_explicit(&slot->handle, memory_order_acquire) == handle, 1) ? slot
                                                                                                    : NULL;
}

#endif
