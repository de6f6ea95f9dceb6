/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels of formulas that are computed in doubles whatever the dtypes: the walk converts what goes in and
 * comes out, and tensors that were not given are 1 there.
 *
 *     static inline doubles gradient(const doubles *x, const double *number) { ... }
 *     MAP_DOUBLES(stem, 5, gradient)     of five inputs
 */
#ifndef BELAY_OPS_COMPOSITE_MAP_DOUBLES_H
#define BELAY_OPS_COMPOSITE_MAP_DOUBLES_H

#include "simd/vector/kernel.h"
#include "simd/loops/row.h"

#define MAP_DOUBLES(stem, inputs, formula)                                                               \
    static void map_##stem(const void *const *input, void *output, size_t count, const void *parameters, \
                           bool non_temporal)                                                            \
    {                                                                                                    \
        (void)non_temporal;                                                                              \
        for (size_t i = 0; i < count; i += LANES) {                                                      \
            doubles x[inputs];                                                                           \
            for (int k = 0; k < (inputs); k++)                                                           \
                x[k] = row_load(ARITHMETIC_FP64, input[k], i, count - i);                                \
            row_store(ARITHMETIC_FP64, output, i, formula(x, parameters), count - i, true);              \
        }                                                                                                \
    }                                                                                                    \
    KERNELS(stem) = {.run = {[ACCURACY_DEFAULT][ARITHMETIC_FP64] = map_##stem,                           \
                             [ACCURACY_EXACT][ARITHMETIC_FP64] = map_##stem}};

#endif
