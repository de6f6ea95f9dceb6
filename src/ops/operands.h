/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor as its plan keeps it. What operands have in common in memory is no plan's business: what is read
 * is where nothing is written when the work runs, copied first if need be (tensor/copies.h), unless the plan
 * lets it be an output itself.
 */
#ifndef BELAY_OPS_OPERANDS_H
#define BELAY_OPS_OPERANDS_H

#include <string.h>

#include "ops/call.h"
#include "tensor/dtype.h"
#include "tensor/scratch.h"

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

/*
 * Lets an operand that is read be one that is written, by their indices among the addresses of phase 2: where
 * both have one address, each element is read before it is written in its place, and so is everything that
 * it is made of. Of operands that lie alike.
 */
static inline void operands_may_be(struct executor_content *content, uint32_t read, uint32_t written)
{
    content->operand[read].may_be |= UINT32_C(1) << content->operand[written].output;
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
