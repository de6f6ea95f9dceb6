/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The inner loop of products of small floats: a few rows by a column at a time, each in eight sums, which are
 * added up in order.
 */
#include "ops/contraction/float_product.h"

#include <string.h>

#include "ops/contraction/int8_product.h"

#ifdef KERNEL_PASS

#include "simd/vector/level_table.h"

enum { AT_ONCE = 8 };
typedef float few_floats __attribute__((vector_size(AT_ONCE * 4)));
typedef double few_doubles __attribute__((vector_size(AT_ONCE * 8)));

float_dots AT_LEVEL(float_dots);
void AT_LEVEL(float_dots)(const float *row, size_t step, const float *column, size_t depth, double *to)
{
    double rest[INT8_ROWS] = {0};
    few_doubles sum[INT8_ROWS] = {{0}};
    size_t k = 0;
    for (; k + AT_ONCE <= depth; k += AT_ONCE) {
        few_floats right;
        memcpy(&right, column + k, sizeof right);
        const few_doubles wide = __builtin_convertvector(right, few_doubles);
#pragma GCC unroll 4
        for (int i = 0; i < INT8_ROWS; i++) {
            few_floats left;
            memcpy(&left, row + (size_t)i * step + k, sizeof left);
            sum[i] += __builtin_convertvector(left, few_doubles) * wide;
        }
    }
    for (; k < depth; k++)
        for (int i = 0; i < INT8_ROWS; i++)
            rest[i] += (double)row[(size_t)i * step + k] * (double)column[k];
    for (int i = 0; i < INT8_ROWS; i++) {
        for (int lane = 0; lane < AT_ONCE; lane++)
            rest[i] += sum[i][lane];
        to[i] = rest[i];
    }
}

#endif
