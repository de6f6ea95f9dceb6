/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The tensor object, for the one question that phase 2 asks of every operand.
 */
#ifndef BELAY_TENSOR_TENSOR_SLOT_H
#define BELAY_TENSOR_TENSOR_SLOT_H

#include "base/handle.h"
#include "tensor/tensor.h"

/*
 * A tensor may be read by any thread while another one changes or destroys it. version is the lock of the
 * writers and what readers check: odd while a writer is at work, and different afterwards. It belongs to the
 * slot, not to the object, and never restarts. A writer looks at the handle only after it has the claim, and
 * the handle is taken off under the claim too, so that a writer never changes the next owner of the slot.
 */
struct tensor {
    _Alignas(HANDLE_ALIGNMENT) struct handle_slot slot; /* an operand of one dim is two cache lines */
    _Atomic uint32_t version;
    _Atomic int32_t dtype;
    _Atomic int32_t format;
    _Atomic uint32_t rank; /* at most TENSOR_RANK_MAX in every slot at any time, as is storage_rank */
    _Atomic uint32_t storage_rank;
    _Atomic bool is_possible;
    _Atomic bool is_contiguous;
    _Atomic bool is_in_blocks;
    _Atomic int64_t offset;
    _Atomic int64_t count;
    _Atomic int64_t reach;
    _Atomic(void *) data;
    _Atomic uint64_t
        last; /* BELAY_HANDLES=grace: the handle of a destroyed tensor that can still be read; or 0 */

    /* A struct tensor_place. Written by whoever makes known odd, read as a whole: known is the same before
     * and behind, since no two writings leave the same. */
    _Atomic uint64_t known; /* the version that had this place << 32 | the number of the writing << 1 */
    _Atomic(const _Atomic uint64_t *) record;
    _Atomic uint64_t found;
    _Atomic uint64_t bytes_left;

    struct {
        _Atomic int64_t shape;
        _Atomic int64_t stride;
    } dim[TENSOR_RANK_MAX];
    _Atomic int64_t storage_shape[TENSOR_RANK_MAX];
};

/* The block that the tensor's address was found in: it is that block as long as the record has this value. */
struct tensor_place {
    const _Atomic uint64_t *record;
    uint64_t found;
    uint64_t bytes_left; /* from the address on */
};

/* Reads the place. False when there is none for this version, or it is being written. */
static inline bool tensor_slot_place(const struct tensor *tensor, uint32_t version,
                                     struct tensor_place *place)
{
    uint64_t known = atomic_load_explicit(&tensor->known, memory_order_acquire);
    if (known >> 32 != version || (known & 1) != 0 || (uint32_t)known == 0)
        return false;
    place->record = atomic_load_explicit(&tensor->record, memory_order_relaxed);
    place->found = atomic_load_explicit(&tensor->found, memory_order_relaxed);
    place->bytes_left = atomic_load_explicit(&tensor->bytes_left, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&tensor->known, memory_order_relaxed) == known;
}

/*
 * Writes it, unless another thread does. Memory may change under an address that stays, so that one version
 * is written again and again: the number of the writing tells a reader in between.
 */
static inline void tensor_slot_set_place(struct tensor *tensor, uint32_t version,
                                         const struct tensor_place *place)
{
    uint64_t known = atomic_load_explicit(&tensor->known, memory_order_relaxed);
    if ((known & 1) != 0 ||
        !atomic_compare_exchange_strong_explicit(&tensor->known, &known, known | 1, memory_order_acquire,
                                                 memory_order_relaxed))
        return;
    /* Whoever sees one of these must also see that known has changed. */
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&tensor->record, place->record, memory_order_relaxed);
    atomic_store_explicit(&tensor->found, place->found, memory_order_relaxed);
    atomic_store_explicit(&tensor->bytes_left, place->bytes_left, memory_order_relaxed);
    atomic_store_explicit(&tensor->known, (uint64_t)version << 32 | (uint32_t)(known + 2),
                          memory_order_release);
}

extern struct handle_table tensor_table, scalar_table;

/* tensor_address, in line. */
static inline bool tensor_slot_address(const aclTensor *tensor, void **data)
{
    uint64_t handle = (uint64_t)(uintptr_t)tensor;
    const struct tensor *object = (const struct tensor *)handle_find(&tensor_table, handle);
    if (object == NULL)
        return false;
    *data = atomic_load_explicit(&object->data, memory_order_relaxed);
    return handle_is_live(object, handle);
}

/*
 * Whether the tensor is live and still what tensor_read found when it had this version. (That a version comes
 * back takes 2^31 changes.)
 */
static inline bool tensor_slot_is_unchanged(const aclTensor *tensor, uint32_t version)
{
    uint64_t handle = (uint64_t)(uintptr_t)tensor;
    const struct tensor *object = (const struct tensor *)handle_find(&tensor_table, handle);
    return object != NULL && atomic_load_explicit(&object->version, memory_order_acquire) == version;
}

#endif
