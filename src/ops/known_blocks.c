/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Plain matrices that lie in blocks, by their addresses: a table in which each address has a few places.
 */
#include "ops/known_blocks.h"

#include <pthread.h>
#include <string.h>

#include "base/hash.h"
#include "tensor/dtype.h"

enum { ROWS = 1024, PLACES = 4, OF_MATRIX = 4 };

struct known {
    const void *data; /* NULL: a place that is free */
    aclFormat format;
    int64_t matrices, rows, columns;
    int64_t storage[OF_MATRIX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static struct known table[ROWS][PLACES];                 /* the latest first */

static struct known *row_of(const void *data)
{
    return table[hash_add(HASH_START, &data, sizeof(data)) % ROWS];
}

/* The matrices that a storage has room for; 0 where it has none. */
static int64_t matrices_of(const struct tensor_description *description)
{
    int64_t all = 1;
    if (description->storage_rank < OF_MATRIX)
        return 0;
    for (uint32_t i = 0; i + OF_MATRIX < description->storage_rank; i++)
        if (__builtin_mul_overflow(all, description->storage_shape[i], &all))
            return 0;
    return all;
}

static const int64_t *matrix_of(const struct tensor_description *description)
{
    return description->storage_shape + description->storage_rank - OF_MATRIX;
}

void known_blocks_keep(const struct tensor_description *whole, const struct blocks *blocks)
{
    struct known known = {.data = whole->data,
                          .format = whole->format,
                          .matrices = blocks->axis[0].size,
                          .rows = blocks->axis[1].size,
                          .columns = blocks->axis[2].size};
    int64_t count = 1;
    for (uint32_t i = 0; i < whole->rank; i++)
        count *= whole->shape[i];
    if (whole->data == NULL || !blocks_are_matrices(whole->format) || whole->offset != 0 ||
        count != blocks->plain_count || matrices_of(whole) != known.matrices)
        return;
    memcpy(known.storage, matrix_of(whole), sizeof known.storage);
    pthread_mutex_lock(&lock);
    struct known *row = row_of(whole->data);
    uint32_t at = 0;
    while (at < PLACES - 1 && row[at].data != whole->data)
        at++;
    memmove(row + 1, row, at * sizeof *row);
    row[0] = known;
    pthread_mutex_unlock(&lock);
}

static bool find(const struct tensor_description *view, struct known *known)
{
    bool is_known = false;
    pthread_mutex_lock(&lock);
    const struct known *row = row_of(view->data);
    for (uint32_t i = 0; i < PLACES && !is_known; i++)
        if (row[i].data == view->data) {
            *known = row[i];
            is_known = true;
        }
    pthread_mutex_unlock(&lock);
    return is_known;
}

/* Axes go from row to row, or all of them stay in one. */
static bool is_of_rows(const struct tensor_description *view, int64_t columns)
{
    int64_t last = view->offset % columns;
    for (uint32_t i = 0; i < view->rank; i++) {
        const int64_t size = view->shape[i], step = view->stride[i];
        if (size <= 1 || step % columns == 0)
            continue;
        if (step < 0 || step > columns || size > columns) /* else no product is too large */
            return false;
        last += (size - 1) * step;
        if (last >= columns)
            return false;
    }
    return true;
}

bool known_blocks_find(const struct tensor_description *view, struct blocks *blocks)
{
    struct known known;
    struct storage storage;
    if (view->data == NULL || view->offset < 0 || !blocks_are_matrices(view->format) ||
        view->storage_rank < OF_MATRIX || !find(view, &known))
        return false;
    const int64_t *const matrix = matrix_of(view), shape[] = {known.matrices, known.rows, known.columns};
    return known.format == view->format && matrices_of(view) == known.matrices &&
           memcmp(matrix, known.storage, sizeof known.storage) == 0 && is_of_rows(view, known.columns) &&
           blocks_lay_out(view->format, 3, shape, known.storage[OF_MATRIX - 1], dtype_bytes(view->dtype),
                          &storage, blocks);
}

static bool is_zero(const unsigned char *element, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        if (element[i] != 0)
            return false;
    return true;
}

bool known_blocks_fit(const struct blocks *blocks, const void *stored)
{
    const struct block_axis *const rows = &blocks->axis[1], *const columns = &blocks->axis[2];
    const int64_t c0 = columns->block, padded_rows = columns->outer / c0,
                  padded_columns = blocks->axis[0].outer / padded_rows;
    for (int64_t n = 0; n < blocks->axis[0].size; n++)
        for (int64_t column = 0; column < padded_columns; column++)
            for (int64_t row = column < columns->size ? rows->size : 0; row < padded_rows; row++) {
                const int64_t at =
                    n * blocks->axis[0].outer + column / c0 * columns->outer + row * c0 + column % c0;
                if (!is_zero((const unsigned char *)stored + at * blocks->bytes, blocks->bytes))
                    return false;
            }
    return true;
}
