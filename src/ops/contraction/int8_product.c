/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The inner loop of products of INT8: a few rows by a column at a time.
 */
#include "ops/contraction/int8_product.h"

#include <string.h>

#ifdef KERNEL_PASS

#include "simd/vector/level_table.h"

enum { AT_ONCE = 16 };
typedef int8_t few_bytes __attribute__((vector_size(AT_ONCE)));
typedef int32_t few_words __attribute__((vector_size(AT_ONCE * 4)));

int8_dots AT_LEVEL(int8_dots);
void AT_LEVEL(int8_dots)(const int8_t *row, size_t step, const int8_t *column, size_t depth, int32_t *to)
{
    uint32_t rest[INT8_ROWS] = {0};
    few_words sum[INT8_ROWS] = {{0}};
    size_t k = 0;
    for (; k + AT_ONCE <= depth; k += AT_ONCE) {
        few_bytes right;
        memcpy(&right, column + k, sizeof right);
        const few_words wide = __builtin_convertvector(right, few_words);
#pragma GCC unroll 4
        for (int i = 0; i < INT8_ROWS; i++) {
            few_bytes left;
            memcpy(&left, row + (size_t)i * step + k, sizeof left);
            sum[i] += __builtin_convertvector(left, few_words) * wide;
        }
    }
    for (; k < depth; k++)
        for (int i = 0; i < INT8_ROWS; i++)
            rest[i] += (uint32_t)((int32_t)row[(size_t)i * step + k] * column[k]);
    for (int i = 0; i < INT8_ROWS; i++) {
        for (int lane = 0; lane < AT_ONCE; lane++)
            rest[i] += (uint32_t)sum[i][lane];
        to[i] = (int32_t)rest[i];
    }
}

#endif
