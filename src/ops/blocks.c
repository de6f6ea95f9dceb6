/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Blocks of elements as doubles: how their views are kept, read and written.
 */
#include "ops/blocks.h"

#include <string.h>

#include "tensor/dtype.h"

static bool is_linear(const struct nest *nest, uint32_t view)
{
    int64_t contiguous = 1;
    for (uint32_t k = nest->axis_count; k-- > 0;) {
        if (nest->axis[k].stride[view] != contiguous)
            return false;
        contiguous *= nest->axis[k].size;
    }
    return true;
}

void blocks_fill(struct blocks *blocks, enum isa_level level, const struct tensor_view *const *view,
                 const uint32_t *address, uint32_t operand_count)
{
    blocks->transfer = transfer_of(level);
    blocks->operand_count = operand_count;
    nest_of_views(&blocks->nest, view[0]->rank, view[0]->shape, view, operand_count);
    nest_merge(&blocks->nest);
    for (uint32_t i = 0; i < operand_count; i++)
        blocks->operand[i] =
            (struct block_operand){.dtype = view[i]->dtype,
                                   .bytes = dtype_bytes(view[i]->dtype),
                                   .address = address[i],
                                   .is_linear = is_linear(&blocks->nest, i),
                                   .extent = (uint64_t)(view[i]->reach - view[i]->offset) + 1};
}

size_t blocks_bytes(uint32_t rank)
{
    return offsetof(struct blocks, nest.axis) + rank * sizeof(struct nest_axis);
}

/* A part of a block that lies along one axis: count elements of the operand, from an offset on,
 * that are stride apart. */
struct piece {
    int64_t offset, stride;
    size_t count;
};

/* The next piece; place moves on behind it. */
static struct piece next_piece(const struct nest *nest, uint32_t operand, struct nest_place *place,
                               size_t left)
{
    struct nest_axis axis = nest_inner(nest);
    uint64_t along = (uint64_t)nest_left(nest, place);
    struct piece piece = {.offset = place->offset[operand],
                          .stride = nest->axis_count > 0 ? axis.stride[operand] : 1,
                          .count = along < left ? (size_t)along : left};
    nest_advance(nest, place, piece.count);
    return piece;
}

static void gather(const struct blocks *blocks, uint32_t operand, const unsigned char *first, uint64_t block,
                   unsigned char *to)
{
    const uint32_t bytes = blocks->operand[operand].bytes;
    struct nest_place place = nest_place_at(&blocks->nest, block * BLOCK_ELEMENTS);
    for (size_t left = block_elements(blocks, block); left > 0;) {
        struct piece piece = next_piece(&blocks->nest, operand, &place, left);
        const struct block row = {.rows = 1, .columns = piece.count, .column_stride = piece.stride};
        blocks->transfer->gather(to, first + piece.offset * (int64_t)bytes, &row, bytes);
        to += piece.count * bytes;
        left -= piece.count;
    }
}

static void scatter(const struct blocks *blocks, uint32_t operand, unsigned char *first, uint64_t block,
                    const unsigned char *from)
{
    const uint32_t bytes = blocks->operand[operand].bytes;
    struct nest_place place = nest_place_at(&blocks->nest, block * BLOCK_ELEMENTS);
    for (size_t left = block_elements(blocks, block); left > 0;) {
        struct piece piece = next_piece(&blocks->nest, operand, &place, left);
        const struct block row = {.rows = 1, .columns = piece.count, .column_stride = piece.stride};
        blocks->transfer->scatter(first + piece.offset * (int64_t)bytes, &row, from, bytes);
        from += piece.count * bytes;
        left -= piece.count;
    }
}

void block_read(const struct blocks *blocks, uint32_t operand, const void *first, uint64_t block, double *to)
{
    _Alignas(64) unsigned char stage[BLOCK_ELEMENTS * sizeof(double)] __attribute__((uninitialized));
    const struct block_operand *what = &blocks->operand[operand];
    const size_t count = block_elements(blocks, block);
    const void *source = (const unsigned char *)first + block * BLOCK_ELEMENTS * what->bytes;
    if (!what->is_linear) {
        gather(blocks, operand, first, block, what->dtype == ACL_DOUBLE ? (unsigned char *)to : stage);
        source = stage;
    }
    if (what->dtype != ACL_DOUBLE)
        blocks->transfer->convert(source, what->dtype, to, ACL_DOUBLE, count);
    else if (what->is_linear)
        memcpy(to, source, count * sizeof *to);
}

void block_write(const struct blocks *blocks, uint32_t operand, void *first, uint64_t block,
                 const double *from)
{
    _Alignas(64) unsigned char stage[BLOCK_ELEMENTS * sizeof(double)] __attribute__((uninitialized));
    const struct block_operand *what = &blocks->operand[operand];
    const size_t count = block_elements(blocks, block);
    unsigned char *target = (unsigned char *)first + block * BLOCK_ELEMENTS * what->bytes;
    void *rounded = what->is_linear ? target : stage;
    if (what->dtype != ACL_DOUBLE)
        blocks->transfer->convert(from, ACL_DOUBLE, rounded, what->dtype, count);
    else
        memcpy(rounded, from, count * sizeof *from);
    if (!what->is_linear)
        scatter(blocks, operand, first, block, stage);
}
