/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels of formulas that are computed in doubles whatever the dtypes: the walk converts what goes in and
 * comes out, and tensors that were not given are 1 there.
 *
 *     static inline doubles gradient(const doubles *x, const void *prepared) { ... }
 *     MAP_DOUBLES(stem, 5, gradient)     of five inputs
 */
#ifndef BELAY_OPS_COMPOSITE_MAP_DOUBLES_H
#define BELAY_OPS_COMPOSITE_MAP_DOUBLES_H

#include "simd/vector/kernel.h"
#include "simd/loops/row.h"

enum { MAP_DOUBLES_MAX = 5 }; /* inputs */

typedef doubles doubles_formula(const doubles *x, const void *prepared);

static inline __attribute__((always_inline)) void map_doubles(doubles_formula *formula, int inputs,
                                                              const void *const *input, void *output,
                                                              size_t count, const void *parameters)
{
    for (size_t i = 0; i < count; i += LANES) {
        doubles x[MAP_DOUBLES_MAX] __attribute__((uninitialized));
        for (int k = 0; k < inputs; k++)
            x[k] = row_load(ARITHMETIC_FP64, input[k], i, count - i);
        row_store(ARITHMETIC_FP64, output, i, formula(x, parameters), count - i, true);
    }
}

#define MAP_DOUBLES(stem, inputs, formula)                                     \
    KERNEL(map_##stem)                                                         \
    {                                                                          \
        (void)non_temporal;                                                    \
        map_doubles(formula, inputs, input, output, count, parameters);        \
    }                                                                          \
    KERNELS(stem) = {.run = {[ACCURACY_DEFAULT][ARITHMETIC_FP64] = map_##stem, \
                             [ACCURACY_EXACT][ARITHMETIC_FP64] = map_##stem}};

#endif
