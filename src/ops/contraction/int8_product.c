/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loops of products of INT8: a few rows by a column at a time.
 */
#include "ops/contraction/int8_product.h"

#include <string.h>

#ifdef KERNEL_PASS

#include "simd/vector/level_table.h"

enum { AT_ONCE = 16 };
typedef int8_t few_bytes __attribute__((vector_size(AT_ONCE)));
typedef int32_t few_words __attribute__((vector_size(AT_ONCE * 4)));

int8_dots AT_LEVEL(int8_dots);
void AT_LEVEL(int8_dots)(const int8_t *row, const int8_t *column, size_t depth, int32_t *to)
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
            memcpy(&left, row + (size_t)i * depth + k, sizeof left);
            sum[i] += __builtin_convertvector(left, few_words) * wide;
        }
    }
    for (; k < depth; k++)
        for (int i = 0; i < INT8_ROWS; i++)
            rest[i] += (uint32_t)((int32_t)row[(size_t)i * depth + k] * column[k]);
    for (int i = 0; i < INT8_ROWS; i++) {
        for (int lane = 0; lane < AT_ONCE; lane++)
            rest[i] += (uint32_t)sum[i][lane];
        to[i] = (int32_t)rest[i];
    }
}

#else

#include "tensor/scratch.h"

LEVEL_TABLE(int8_dots, dots, int8_dots);

enum { MULTIPLIED_PER_NS = 8 };

size_t int8_work_bytes(uint64_t columns, uint64_t depth, uint64_t threads)
{
    return whole_lines(columns * depth) + (size_t)threads * whole_lines(depth * INT8_ROWS);
}

void int8_use_memory(struct int8_product *product, void *scratch, uint64_t columns, uint64_t threads)
{
    product->room = scratch;
    product->memory = (struct task_memory){
        .first = (unsigned char *)scratch + whole_lines(columns * product->depth),
        .bytes = whole_lines(product->depth * INT8_ROWS),
        .slots = threads,
    };
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void multiply_tile(void *context, uint64_t task, unsigned char *memory)
{
    const struct int8_product *product = context;
    const uint64_t across = (product->columns - 1) / INT8_COLUMNS + 1, depth = product->depth;
    const uint64_t row = task / across * INT8_ROWS, column = task % across * INT8_COLUMNS;
    const uint64_t rows = least(product->rows - row, INT8_ROWS);
    const uint64_t columns = least(product->columns - column, INT8_COLUMNS);
    int8_t *const left = (int8_t *)memory;
    int32_t sums[INT8_ROWS][INT8_COLUMNS], some[INT8_ROWS];
    port_bring(product->left, product->address, product->left_first + row * depth, rows * depth, left);
    memset(left + rows * depth, 0, (size_t)((INT8_ROWS - rows) * depth));
    for (uint64_t j = 0; j < columns; j++) {
        dots[product->isa](left, product->packed + (column + j) * depth, (size_t)depth, some);
        for (int i = 0; i < INT8_ROWS; i++)
            sums[i][j] = some[i];
    }
    for (uint64_t i = 0; i < rows; i++)
        product->finish(product->context, row + i, column, columns, sums[i]);
}

void int8_multiply(struct int8_product *product)
{
    const uint64_t elements = product->columns * product->depth;
    const struct port *right = product->right;
    if (product->rows == 0 || product->columns == 0)
        return;
    if (span_is_contiguous(&right->span) && right->dtype == ACL_INT8) {
        product->packed = (const int8_t *)product->address[right->address] + product->right_first;
    } else {
        port_bring(right, product->address, product->right_first, elements, product->room);
        product->packed = product->room;
    }
    const uint64_t tiles =
        ((product->rows - 1) / INT8_ROWS + 1) * ((product->columns - 1) / INT8_COLUMNS + 1);
    tasks_run_in_memory(multiply_tile, product, tiles, &product->memory,
                        product->rows * elements / MULTIPLIED_PER_NS);
}

#endif
