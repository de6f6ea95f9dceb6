/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels of reductions, and the order that they keep.
 *
 * The order in which elements are put together follows from their number alone. They are counted in the order
 * of the reduced dims, the last one fastest. Blocks of REDUCE_BLOCK elements stand for themselves; within a
 * block, lane i takes the elements i, i + REDUCE_LANES, ..., then the lanes are merged by halves. Blocks are
 * merged one after the other. So every layout, level and number of threads gives the same bits.
 */
#ifndef BELAY_SIMD_LOOPS_REDUCE_KERNEL_H
#define BELAY_SIMD_LOOPS_REDUCE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "simd/vector/level_table.h"
#include "simd/vector/kernels.h"

enum { REDUCE_LANES = 32, REDUCE_BLOCK = 4096, REDUCE_INPUTS_MAX = 4, REDUCE_PARAMETER_BYTES = 64 };

/*
 * The kernels of a reduction for one dtype on one level. A state is a word of 64 bits, a double for floats
 * and an int64_t for integers and BOOL; for complex numbers it is two doubles. Parameters are what the
 * function's plan gave.
 */
struct reduce_kernel {
    uint64_t first; /* what every word of a state begins as */
    uint32_t width; /* words of a state; 0: no kernel for this dtype */

    /* Words of states become `first`, and more of them up to a whole vector. */
    void (*begin)(void *state, uint64_t first, size_t words);

    /* Element i, of count that lie side by side, goes into state[i % REDUCE_LANES]. Of each input so many elements
     * are read soon, these among them: those are asked for ahead. */
    void (*along)(const void *const *input, size_t count, size_t soon, void *state, const void *parameters);

    /* Whole runs of count elements that lie side by side, at least REDUCE_LANES, one for each output: their
     * states, from begin to fold. The bytes between runs are those of each input's step. */
    void (*runs)(const void *const *input, const int64_t *step, size_t outputs, size_t count, uint64_t first,
                 int64_t *state, const void *parameters);

    /* Element j of row i goes into state[(first_row + i) % REDUCE_LANES][j]. row[k][i] is a row of input k,
     * columns elements that lie side by side. */
    void (*across)(const void *const *const *row, size_t rows, size_t first_row, size_t columns, void *state,
                   const void *parameters);

    /* state[i] takes in other[i], which came later in the order; words counts the words of them all. */
    void (*merge)(void *state, const void *other, size_t words);

    /* The lanes, a power of two and each of so many words, go into the first one. Whole vectors behind it may
     * be overwritten. */
    void (*fold)(void *state, size_t lanes, size_t words);
};

struct reduce_kernels {
    struct reduce_kernel of[ARITHMETIC_ALL];
};

/* The kernels by level: `REDUCE_LEVELS(sum);` declares `sum_reduce_kernels[ISA_LEVELS]` of what passes of
 * simd/loops/reduce.h define. */
#define REDUCE_LEVELS(stem) LEVEL_TABLE(const struct reduce_kernels, stem##_reduce_kernels, stem##_reduce)

#endif
