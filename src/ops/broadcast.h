/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Shapes and how they broadcast.
 */
#ifndef BELAY_OPS_BROADCAST_H
#define BELAY_OPS_BROADCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/export.h"
#include "tensor/tensor.h"

struct shape {
    uint32_t rank; /* at most OPERAND_RANK_MAX */
    int64_t dim[OPERAND_RANK_MAX];
};

/* The shape of a view of rank 8 at most. */
static inline struct shape shape_of(const struct tensor_view *view)
{
    struct shape shape = {.rank = view->rank};
    for (uint32_t i = 0; i < view->rank; i++)
        shape.dim[i] = view->shape[i];
    return shape;
}

/*
 * The shape that a and b have together: aligned at their last dims, sizes equal or 1 (so 0 with 1 gives 0,
 * and 0 with more is no shape). False, and *result unspecified, when there is none. result may be a or b.
 */
bool broadcast(const struct shape *a, const struct shape *b, struct shape *result) SHARED(broadcast);

/* Whether shape a broadcasts to b, and b need not. */
static inline bool broadcasts_to(const struct shape *a, const struct shape *b)
{
    bool fits = a->rank <= b->rank;
    for (uint32_t i = 0; fits && i < a->rank; i++)
        fits = a->dim[i] == 1 || a->dim[i] == b->dim[b->rank - a->rank + i];
    return fits;
}

#endif
