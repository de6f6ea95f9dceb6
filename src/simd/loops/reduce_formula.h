/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of a formula of several inputs: what reduce.h takes as steps.
 */
#ifndef BELAY_SIMD_LOOPS_REDUCE_FORMULA_H
#define BELAY_SIMD_LOOPS_REDUCE_FORMULA_H

#include "simd/loops/reduce.h"

typedef doubles reduce_formula(const doubles *x, const void *prepared);

/* The step that adds a formula of the inputs. */
static inline __attribute__((always_inline)) longs reduce_add_formula(reduce_formula *formula, int inputs,
                                                                      longs state, const longs *input,
                                                                      const void *parameters)
{
    doubles x[REDUCE_INPUTS_MAX] __attribute__((uninitialized));
    for (int k = 0; k < inputs; k++)
        x[k] = (doubles)input[k];
    return reduce_merge_sums(state, (longs)formula(x, parameters));
}

#define REDUCE_FORMULA(name, formula, inputs_)                                              \
    static inline longs name##_add(longs state, const longs *input, const void *parameters) \
    {                                                                                       \
        return reduce_add_formula(formula, inputs_, state, input, parameters);              \
    }                                                                                       \
    static const struct reduce_steps name##_steps = {                                       \
        .step = name##_add, .merge = reduce_merge_sums, .inputs = inputs_};

/* All results before the first state is written, so that the compiler may mix their steps. */
static inline __attribute__((always_inline)) void reduce_add_several(reduce_formula *formula, int inputs,
                                                                     longs *state,
                                                                     longs (*input)[REDUCE_INPUTS_MAX],
                                                                     const void *parameters)
{
    longs sum[REDUCE_SEVERAL] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (size_t k = 0; k < REDUCE_SEVERAL; k++)
        sum[k] = reduce_add_formula(formula, inputs, state[k], input[k], parameters);
#pragma GCC unroll 4
    for (size_t k = 0; k < REDUCE_SEVERAL; k++)
        state[k] = sum[k];
}

/* A formula of many steps: out of line. */
#define REDUCE_LONG_FORMULA(name, formula, inputs_)                                                      \
    static __attribute__((noinline))                                                                     \
    longs name##_add(longs state, const longs *input, const void *parameters)                            \
    {                                                                                                    \
        return reduce_add_formula(formula, inputs_, state, input, parameters);                           \
    }                                                                                                    \
    static __attribute__((noinline)) void name##_several(longs *state, longs(*input)[REDUCE_INPUTS_MAX], \
                                                         const void *parameters)                         \
    {                                                                                                    \
        reduce_add_several(formula, inputs_, state, input, parameters);                                  \
    }                                                                                                    \
    static const struct reduce_steps name##_steps = {                                                    \
        .step = name##_add, .merge = reduce_merge_sums, .inputs = inputs_, .several = name##_several};

#endif
