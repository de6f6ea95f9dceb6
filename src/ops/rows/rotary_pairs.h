/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The pairs of elements of a row that rotary position embedding turns together, by its mode (J. Su and
 * others, RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021).
 */
#ifndef BELAY_OPS_ROWS_ROTARY_PAIRS_H
#define BELAY_OPS_ROWS_ROTARY_PAIRS_H

#include <stddef.h>
#include <stdint.h>

enum { HALVES, NEIGHBOURS, QUARTERS, NEIGHBOURS_TO_HALVES };

/* Where pair p has its elements, and the results or what belongs to these. */
struct rotary_places {
    size_t from[2], to[2];
};

static inline struct rotary_places rotary_places(int64_t mode, size_t p, size_t count)
{
    const size_t half = count / 2, quarter = count / 4;
    const size_t first = mode == HALVES || mode == NEIGHBOURS_TO_HALVES ? p
                         : mode == NEIGHBOURS                           ? 2 * p
                         : p < quarter                                  ? p
                                                                        : p + quarter;
    const size_t second = first + (mode == NEIGHBOURS ? 1 : mode == QUARTERS ? quarter : half);
    if (mode == NEIGHBOURS_TO_HALVES)
        return (struct rotary_places){{2 * p, 2 * p + 1}, {first, second}};
    return (struct rotary_places){{first, second}, {first, second}};
}

#endif
