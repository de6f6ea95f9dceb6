/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Shapes and how they broadcast.
 */
#include "ops/broadcast.h"

bool broadcast(const struct shape *a, const struct shape *b, struct shape *result)
{
    const struct shape *longer = a->rank >= b->rank ? a : b, *shorter = longer == a ? b : a;
    uint32_t missing = longer->rank - shorter->rank;

    struct shape common = {.rank = longer->rank};
    for (uint32_t i = 0; i < longer->rank; i++) {
        int64_t size = longer->dim[i], other = i < missing ? 1 : shorter->dim[i - missing];
        if (size != other && size != 1 && other != 1)
            return false;
        common.dim[i] = size == 1 ? other : size;
    }
    *result = common;
    return true;
}
