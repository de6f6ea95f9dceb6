/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor as its plan keeps it, and what its memory has in common with that of another one.
 */
#ifndef BELAY_OPS_OPERAND_H
#define BELAY_OPS_OPERAND_H

#include <string.h>

#include "ops/call.h"
#include "tensor/dtype.h"

/* Up to the next multiple of 64: what several kinds of memory in one scratch begin at. */
static inline size_t whole_lines(uint64_t bytes)
{
    return ((size_t)bytes + 63) & ~(size_t)63;
}

struct operand {
    aclDataType dtype;
    uint32_t bytes;   /* of an element */
    uint32_t address; /* its index among the addresses of phase 2 */
    uint64_t extent;  /* elements from the first to the last */
};

static inline struct operand operand_of_view(const struct tensor_view *view, uint32_t address)
{
    return (struct operand){.dtype = view->dtype,
                            .bytes = dtype_bytes(view->dtype),
                            .address = address,
                            .extent = view->count > 0 ? (uint64_t)(view->reach - view->offset) + 1 : 0};
}

static inline struct operand operand_of(const struct call *call, unsigned parameter)
{
    return operand_of_view(call_view(call, parameter), call->first_operand[parameter]);
}

/* Its first element; of a tensor that was not given the single 1 that stands for it (call_view). */
static inline unsigned char *operand_first(const struct operand *operand, void *const *address)
{
    static double absent = 1;
    void *first = address[operand->address];
    return first != NULL ? first : (unsigned char *)&absent;
}

/* Whether the bytes from the first to the last element of both have some in common. */
static inline bool operands_meet(const struct operand *a, const struct operand *b, void *const *address)
{
    const uintptr_t first_a = (uintptr_t)address[a->address], first_b = (uintptr_t)address[b->address];
    return first_a < first_b + b->extent * b->bytes && first_b < first_a + a->extent * a->bytes;
}

/*
 * An input that shares memory with what is written is copied before anything is: all bytes from its first
 * element to its last, so that its strides stay. Bytes that this takes; and where the input is then, *room
 * moving on behind the copy.
 */
static inline size_t operand_copy_bytes(const struct operand *operand)
{
    return whole_lines(operand->extent * operand->bytes);
}

static inline unsigned char *operand_copy(const struct operand *operand, void *const *address,
                                          unsigned char **room)
{
    unsigned char *copy = *room;
    memcpy(copy, address[operand->address], (size_t)(operand->extent * operand->bytes));
    *room += operand_copy_bytes(operand);
    return copy;
}

/* Whether two views have each element in the same place, where their addresses agree. */
static inline bool views_agree(const struct tensor_view *a, const struct tensor_view *b)
{
    bool agree = a->dtype == b->dtype && a->rank == b->rank;
    for (uint32_t i = 0; agree && i < a->rank; i++)
        agree = a->shape[i] == b->shape[i] && (a->stride[i] == b->stride[i] || a->shape[i] == 1);
    return agree;
}

#endif
