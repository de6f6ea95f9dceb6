/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "ops/index/index_floats.h"

#ifdef KERNEL_PASS /* there is nothing else */

#include <string.h>

#include "simd/loops/row.h"

static void add(const unsigned char *from, double factor, double *sums, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float value;
        memcpy(&value, from + i * sizeof value, sizeof value);
        sums[i] += factor * (double)value;
    }
}

/* Vectors whose sums are in registers at a time. */
enum { VECTORS = 4 };

/* So many of them, a constant: of which there are `left` elements. */
static inline __attribute__((always_inline)) void add_vectors(const struct index_rows *rows, size_t at,
                                                              size_t vectors, size_t left)
{
    doubles sum[VECTORS];
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++)
        sum[v] = row_load(ARITHMETIC_FP32, rows->to, at + v * LANES, left - v * LANES);
    for (size_t k = 0; k < rows->rows; k++)
#pragma GCC unroll 4
        for (size_t v = 0; v < vectors; v++)
            sum[v] +=
                rows->factor * row_load(ARITHMETIC_FP32, rows->from[k], at + v * LANES, left - v * LANES);
#pragma GCC unroll 4
    for (size_t v = 0; v < vectors; v++)
        row_store(ARITHMETIC_FP32, rows->to, at + v * LANES, sum[v], left - v * LANES, true);
}

static void add_rows(const struct index_rows *rows)
{
    enum { WHOLE = VECTORS * LANES };
    size_t i = 0;
    for (; i + WHOLE <= rows->count; i += WHOLE)
        add_vectors(rows, i, VECTORS, WHOLE);
    for (; i < rows->count; i += LANES)
        add_vectors(rows, i, 1, rows->count - i);
}

extern const struct index_floats AT_LEVEL(index_floats);
const struct index_floats AT_LEVEL(index_floats) = {add, add_rows};

#endif
