/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Formats in blocks: their storage shapes, and which tensors are in them.
 */
#include "tensor/blocks.h"

#include <string.h>

#include "runtime/named/block_format.h"
#include "tensor/dtype.h"
#include "tensor/view.h"

/* Rows of a block; its columns are C0. */
enum { BLOCK_ROWS = 16 };

bool blocks_are_matrices(aclFormat format)
{
    return format == ACL_FORMAT_FRACTAL_NZ ||
           (format >= ACL_FORMAT_FRACTAL_NZ_C0_16 && format <= ACL_FORMAT_FRACTAL_NZ_C0_8);
}

/* How many blocks hold size elements; a C0 of 0 has none. */
static int64_t blocks_of(int64_t size, int64_t block)
{
    return block > 0 ? size / block + (size % block != 0) : 0;
}

static void set_storage(struct storage *storage, uint32_t rank, const int64_t *dim)
{
    storage->rank = rank;
    memcpy(storage->dim, dim, rank * sizeof *dim);
}

/* The product of dims, none of them 0; 0 where it is more than 2^63 - 1. */
static int64_t product_of(uint32_t count, const int64_t *dim)
{
    int64_t product = 1;
    for (uint32_t i = 0; i < count; i++)
        if (dim[i] <= 0 || __builtin_mul_overflow(product, dim[i], &product))
            return 0;
    return product;
}

static void set_axes(struct blocks *blocks, uint32_t count, const struct block_axis *axis)
{
    blocks->axis_count = count;
    memcpy(blocks->axis, axis, count * sizeof *axis);
}

/*
 * What follows sets the storage first, whose elements are counted before anything else is multiplied: every
 * stride is a product of some of its dims.
 */
static bool count_storage(const struct storage *storage, uint32_t bytes, struct blocks *blocks)
{
    int64_t all;
    blocks->bytes = bytes;
    blocks->stored_count = product_of(storage->rank, storage->dim);
    return bytes > 0 && blocks->stored_count > 0 &&
           !__builtin_mul_overflow(blocks->stored_count, (int64_t)bytes, &all);
}

/* Matrices in the last two dims, in blocks of 16 rows; the blocks lie column by column. */
static bool lay_out_nz(uint32_t rank, const int64_t *shape, int64_t c0, uint32_t bytes,
                       struct storage *storage, struct blocks *blocks)
{
    if (rank < 2 || rank + 2 > TENSOR_RANK_MAX)
        return false;
    const int64_t rows = shape[rank - 2], columns = shape[rank - 1], batch = product_of(rank - 2, shape);
    const int64_t down = blocks_of(rows, BLOCK_ROWS), across = blocks_of(columns, c0);
    const int64_t inner[] = {across, down, BLOCK_ROWS, c0};
    set_storage(storage, rank - 2, shape);
    memcpy(storage->dim + rank - 2, inner, sizeof inner);
    storage->rank = rank + 2;
    if (!count_storage(storage, bytes, blocks))
        return false;
    const int64_t block = BLOCK_ROWS * c0;
    set_axes(blocks, 3,
             (const struct block_axis[]){{batch, 1, across * down * block, 0},
                                         {rows, BLOCK_ROWS, block, c0},
                                         {columns, c0, down * block, 1}});
    return true;
}

/* The dims N, C, D, H, W of a shape without D, of which the first or the last may be missing. */
static void fill_dims(uint32_t rank, const int64_t *shape, int64_t dim[BLOCKS_AXES])
{
    const int64_t n = rank == 4 ? shape[0] : 1;
    const int64_t *rest = rank == 4 ? shape + 1 : shape;
    const uint32_t count = rank == 4 ? 3 : rank;
    const int64_t all[] = {n, rest[0], 1, count > 1 ? rest[1] : 1, count > 2 ? rest[2] : 1};
    memcpy(dim, all, sizeof all);
}

/* Images whose channels are in groups of C0, each group's the fastest dim. */
static bool lay_out_images(bool is_3d, const int64_t dim[BLOCKS_AXES], int64_t c0, uint32_t bytes,
                           struct storage *storage, struct blocks *blocks)
{
    const int64_t n = dim[0], c = dim[1], d = dim[2], h = dim[3], w = dim[4], groups = blocks_of(c, c0);
    if (is_3d)
        set_storage(storage, 6, (const int64_t[]){n, d, groups, h, w, c0});
    else
        set_storage(storage, 5, (const int64_t[]){n, groups, h, w, c0});
    if (!count_storage(storage, bytes, blocks))
        return false;
    const int64_t plane = h * w * c0;
    set_axes(blocks, 5,
             (const struct block_axis[]){{n, 1, d * groups * plane, 0},
                                         {c, c0, plane, 1},
                                         {d, 1, groups * plane, 0},
                                         {h, 1, w * c0, 0},
                                         {w, 1, c0, 0}});
    return true;
}

/* Filters: for each place of the window and group of input channels a matrix of outputs by C0 channels. */
static bool lay_out_filters(const int64_t dim[BLOCKS_AXES], int64_t c0, uint32_t bytes,
                            struct storage *storage, struct blocks *blocks)
{
    const int64_t n = dim[0], c = dim[1], d = dim[2], h = dim[3], w = dim[4];
    const int64_t groups = blocks_of(c, c0), down = blocks_of(n, BLOCK_ROWS);
    const int64_t places[] = {d, groups, h, w};
    set_storage(storage, 4, (const int64_t[]){product_of(4, places), down, BLOCK_ROWS, c0});
    if (!count_storage(storage, bytes, blocks))
        return false;
    const int64_t matrix = down * BLOCK_ROWS * c0;
    set_axes(blocks, 5,
             (const struct block_axis[]){{n, BLOCK_ROWS, BLOCK_ROWS * c0, c0},
                                         {c, c0, h * w * matrix, 1},
                                         {d, 1, groups * h * w * matrix, 0},
                                         {h, 1, w * matrix, 0},
                                         {w, 1, matrix, 0}});
    return true;
}

bool blocks_lay_out(aclFormat format, uint32_t rank, const int64_t *shape, int64_t c0, uint32_t bytes,
                    struct storage *storage, struct blocks *blocks)
{
    int64_t dim[BLOCKS_AXES];
    bool has_form = false;
    if (blocks_are_matrices(format))
        has_form = lay_out_nz(rank, shape, c0, bytes, storage, blocks);
    else if ((format == ACL_FORMAT_NDC1HWC0 || format == ACL_FRACTAL_Z_3D) && rank == BLOCKS_AXES)
        has_form = format == ACL_FRACTAL_Z_3D ? lay_out_filters(shape, c0, bytes, storage, blocks)
                                              : lay_out_images(true, shape, c0, bytes, storage, blocks);
    else if ((format == ACL_FORMAT_NC1HWC0 || format == ACL_FORMAT_FRACTAL_Z) && rank >= 1 && rank <= 4) {
        fill_dims(rank, shape, dim);
        has_form = format == ACL_FORMAT_FRACTAL_Z ? lay_out_filters(dim, c0, bytes, storage, blocks)
                                                  : lay_out_images(false, dim, c0, bytes, storage, blocks);
    }
    if (has_form)
        blocks->plain_count = product_of(rank, shape);
    return has_form;
}

bool blocks_are_meant(const struct tensor_description *description)
{
    const uint32_t rank = description->storage_rank;
    if (block_format_name(description->format) == NULL || rank <= 1)
        return false;
    if (rank == description->rank &&
        memcmp(description->shape, description->storage_shape, rank * sizeof description->shape[0]) == 0)
        return false;
    for (uint32_t i = 0; i < description->rank; i++)
        if (description->shape[i] == 0)
            return false;
    /* A view of plain memory that is called so has the storage of other dims, which end otherwise. */
    return !blocks_are_matrices(description->format) || rank >= description->rank + 2 ||
           (rank >= 4 && description->storage_shape[rank - 2] == BLOCK_ROWS);
}

/*
 * The shape of the row-major tensor that the view is one of, from its beginning on; false where there is
 * none.
 */
static bool find_plain(const struct tensor_description *description, int64_t shape[TENSOR_RANK_MAX])
{
    const uint32_t rank = description->rank;
    int64_t stride[TENSOR_RANK_MAX];
    memcpy(shape, description->shape, rank * sizeof *shape);
    memcpy(stride, description->stride, rank * sizeof *stride);
    if (rank >= 2) {
        int64_t *size = shape + rank - 2, *step = stride + rank - 2;
        const bool is_row_major = step[1] == 1 && step[0] == size[1];
        if (!is_row_major && step[0] == 1 && step[1] == size[0]) { /* those of one row or column, too */
            const int64_t rows = size[1];
            size[1] = size[0];
            size[0] = rows;
            step[0] = step[1];
            step[1] = 1;
        }
    }
    return view_is_contiguous(rank, shape, stride);
}

/*
 * A view of one matrix may leave out some rows in front and behind: of its own rows there are as many as
 * there is room for, which is the same for whoever reads the others.
 */
static bool add_rows(const struct tensor_description *description, int64_t shape[TENSOR_RANK_MAX])
{
    const uint32_t rank = description->rank, stored = description->storage_rank;
    if (rank < 2 || stored < 4 || product_of(stored - 4, description->storage_shape) != 1 ||
        product_of(rank - 2, shape) != 1 || description->offset % shape[rank - 1] != 0)
        return false;
    const int64_t first = description->offset / shape[rank - 1],
                  blocks = description->storage_shape[stored - 3];
    if (blocks <= 0 || blocks > INT64_MAX / BLOCK_ROWS || first > blocks * BLOCK_ROWS - shape[rank - 2])
        return false;
    shape[rank - 2] = blocks * BLOCK_ROWS;
    return true;
}

/* A view of several matrices may leave out some in front and behind; the dims of all of them are three. */
static bool add_matrices(const struct tensor_description *description, int64_t shape[TENSOR_RANK_MAX])
{
    const uint32_t rank = description->rank, stored = description->storage_rank;
    if (rank < 2 || stored < 5)
        return false;
    const int64_t all = product_of(stored - 4, description->storage_shape), own = product_of(rank - 2, shape),
                  matrix[] = {shape[rank - 2], shape[rank - 1]}, elements = product_of(2, matrix);
    if (all == 0 || own == 0 || elements == 0 || description->offset % elements != 0 ||
        description->offset / elements > all - own)
        return false;
    memcpy(shape, (const int64_t[]){all, matrix[0], matrix[1]}, 3 * sizeof *shape);
    return true;
}

/*
 * A view of one dim is a row of one matrix, or a part of one. How long its rows are is not said: some length
 * that fills the last column of blocks, and it is one row that every such length may mean, or none is taken.
 */
static bool add_row(const struct tensor_description *description, int64_t shape[TENSOR_RANK_MAX])
{
    enum { C0_MAX = 64 };
    const uint32_t stored = description->storage_rank;
    if (stored < 4 || product_of(stored - 4, description->storage_shape) != 1 ||
        (description->stride[0] != 1 && description->shape[0] != 1))
        return false;
    const int64_t *const dim = description->storage_shape + stored - 4, c0 = dim[3];
    int64_t rows, columns, end, found = 0;
    if (c0 <= 0 || c0 > C0_MAX || __builtin_mul_overflow(dim[0], c0, &columns) ||
        __builtin_mul_overflow(dim[1], (int64_t)BLOCK_ROWS, &rows) || columns < c0 ||
        __builtin_add_overflow(description->offset, description->shape[0], &end))
        return false;
    for (int64_t length = columns; length > columns - c0; length--) {
        const int64_t row = description->offset / length;
        if (row >= rows || end - row * length > length)
            continue;
        if (found != 0 && row > 0)
            return false;
        found = length;
    }
    shape[0] = rows;
    shape[1] = found;
    return found != 0;
}

/* Dims in front of a matrix may be counted in other pieces, or be 1. */
static bool is_same_storage(aclFormat format, const struct storage *a, uint32_t rank, const int64_t *dim)
{
    enum { OF_MATRIX = 4 };
    const uint32_t own = blocks_are_matrices(format) ? OF_MATRIX : a->rank;
    return rank >= own && a->rank >= own && (own == OF_MATRIX || rank == a->rank) &&
           memcmp(a->dim + a->rank - own, dim + rank - own, own * sizeof *dim) == 0 &&
           product_of(a->rank - own, a->dim) == product_of(rank - own, dim);
}

static bool fits(const struct tensor_description *description, uint32_t plain_rank, const int64_t *shape,
                 struct blocks *blocks)
{
    struct storage storage;
    const uint32_t rank = description->storage_rank;
    return blocks_lay_out(description->format, plain_rank, shape, description->storage_shape[rank - 1],
                          dtype_bytes(description->dtype), &storage, blocks) &&
           is_same_storage(description->format, &storage, rank, description->storage_shape);
}

bool blocks_read(const struct tensor_description *description, struct blocks *blocks)
{
    int64_t shape[TENSOR_RANK_MAX];
    if (!find_plain(description, shape))
        return false;
    if (description->offset == 0 && fits(description, description->rank, shape, blocks))
        return true;
    if (!blocks_are_matrices(description->format))
        return false;
    if (description->rank == 1)
        return add_row(description, shape) && fits(description, 2, shape, blocks);
    if (add_matrices(description, shape) && fits(description, 3, shape, blocks))
        return true;
    return find_plain(description, shape) && add_rows(description, shape) &&
           fits(description, description->rank, shape, blocks);
}
