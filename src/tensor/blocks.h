/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Formats in blocks: FRACTAL_NZ and its kin. What the storage of a plain tensor is like in each of them,
 * where in it an element lies, and the ways there and back. All that knows of these formats is here.
 */
#ifndef BELAY_TENSOR_BLOCKS_H
#define BELAY_TENSOR_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "base/export.h"
#include "tensor/description.h"

/*
 * An axis of the plain tensor: its element x lies (x / block) * outer + x % block * inner elements behind the
 * one that has 0 there. Where an element of the tensor lies is the sum over all axes, in every format.
 */
struct block_axis {
    int64_t size, block, outer, inner;
};

enum { BLOCKS_AXES = 5 };

/* A tensor in blocks: the axes of the plain one in row-major order, and how much both are. */
struct blocks {
    uint32_t axis_count;
    uint32_t bytes; /* of an element */
    struct block_axis axis[BLOCKS_AXES];
    int64_t plain_count, stored_count; /* elements; what is stored besides is zeros */
};

/* FRACTAL_NZ and its kin, whose blocks are of the last two dims. */
bool blocks_are_matrices(aclFormat format) SHARED(blocks_are_matrices);

/*
 * The storage of a row-major tensor of this shape whose last storage dim is to be c0: the dims, and where the
 * elements lie. False where the format has no form for so many dims, a dim is 0, or it has more bytes than
 * 2^63 - 1.
 */
struct storage {
    uint32_t rank;
    int64_t dim[TENSOR_RANK_MAX];
};
bool blocks_lay_out(aclFormat format, uint32_t rank, const int64_t *shape, int64_t c0, uint32_t bytes,
                    struct storage *storage, struct blocks *blocks) SHARED(blocks_lay_out);

/*
 * Whether a tensor is in blocks: it has such a format, and its storage is not what the view says or a plain
 * row, as programs write it that call plain memory FRACTAL_NZ.
 */
bool blocks_are_meant(const struct tensor_description *description) SHARED(blocks_are_meant);

/*
 * How such a tensor lies. Its view is all of it, rows of a FRACTAL_NZ matrix, or a row as one dim that is sure,
 * or some of several such matrices, or any with its last two dims exchanged; it counts elements of the plain
 * one. False where it is another view, or where the storage shape is not that of the format.
 */
bool blocks_read(const struct tensor_description *description, struct blocks *blocks) SHARED(blocks_read);

/* All elements to row-major memory, and from there, with zeros around. */
void blocks_unpack(const struct blocks *blocks, const void *stored, void *plain) SHARED(blocks_unpack);
void blocks_pack(const struct blocks *blocks, const void *plain, void *stored) SHARED(blocks_pack);

/* The predicted time of either on one thread. */
uint64_t blocks_cost_ns(const struct blocks *blocks) SHARED(blocks_cost_ns);

#endif
