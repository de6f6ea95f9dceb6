/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The tensor object, for the one question that phase 2 asks of every operand.
 */
#ifndef BELAY_TENSOR_TENSOR_SLOT_H
#define BELAY_TENSOR_TENSOR_SLOT_H

#include "runtime/handle.h"
#include "tensor/tensor.h"

/*
 * A tensor may be read by any thread while another one changes or destroys it. version is the lock of the
 * writers and what readers check: odd while a writer is at work, and different afterwards. It belongs to the
 * slot, not to the object, and never restarts. A writer looks at the handle only after it has the claim, and
 * the handle is taken off under the claim too, so that a writer never changes the next owner of the slot.
 */
struct tensor {
    struct handle_slot slot;
    _Atomic uint32_t version;
    _Atomic int32_t dtype;
    _Atomic int32_t format;
    _Atomic uint32_t rank; /* at most TENSOR_RANK_MAX in every slot at any time, as is storage_rank */
    _Atomic uint32_t storage_rank;
    _Atomic bool is_possible;
    _Atomic bool is_contiguous;
    _Atomic int64_t offset;
    _Atomic int64_t count;
    _Atomic int64_t reach;
    _Atomic(void *) data;
    struct {
        _Atomic int64_t shape;
        _Atomic int64_t stride;
    } dim[TENSOR_RANK_MAX];
    _Atomic int64_t storage_shape[TENSOR_RANK_MAX];
};

extern struct handle_table tensor_table;

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

/* Where the handle of a scalar stands while it is live, and never again afterwards; NULL when it is not live.
 */
const _Atomic uint64_t *scalar_word(const aclScalar *scalar);

#endif
