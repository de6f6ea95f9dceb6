/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sizes that both planning a contraction and running it work out.
 */
#ifndef BELAY_OPS_CONTRACTION_SIZES_H
#define BELAY_OPS_CONTRACTION_SIZES_H

#include "ops/contraction/contraction.h"

static inline uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static inline uint64_t round_up(uint64_t a, uint64_t multiple)
{
    return divide_up(a, multiple) * multiple;
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Lanes of a right panel. */
static inline uint32_t panel_columns(const struct contraction *plan)
{
    return 2 * plan->kernels->vector_lanes;
}

static inline uint64_t batch_count(const struct contraction *plan)
{
    uint64_t count = 1;
    for (uint32_t axis = 0; axis < plan->batch_axes; axis++)
        count *= plan->batch_size[axis];
    return count;
}

#endif
