/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that find elements by indices which are known when the work runs. Two passes: the first one reads
 * all indices and makes offsets of them, or fails before anything is written; the second one moves a slice
 * for each position, between the tensor that is indexed and the one that lies in the order of positions.
 */
#ifndef BELAY_OPS_INDEX_INDEX_H
#define BELAY_OPS_INDEX_INDEX_H

#include <stdatomic.h>

#include "ops/index/index_floats.h"
#include "ops/loops/move.h"
#include "ops/nest.h"
#include "ops/operands.h"
#include "simd/vector/level_table.h"

/* A tensor of indices into one dim, or a mask over several. */
struct index_entry {
    const char *name;     /* of its parameter */
    enum isa_level level; /* that reads it */
    int32_t element;      /* its place in a list; -1 where there is none */
    uint32_t operand;     /* among phase 2's addresses */
    aclDataType dtype;
    uint32_t rank;
    int64_t shape[OPERAND_RANK_MAX], stride[OPERAND_RANK_MAX];
    int64_t size;       /* of the dim: -size to size - 1 are legal */
    int64_t step;       /* elements from one slice of the dim to the next */
    uint32_t first_dim; /* of a mask: the first dim that it is over */
    bool is_strict;     /* negative indices are not legal */
    bool skips;         /* positions whose index is not legal have no place */
    bool
        is_left_out_at; /* positions whose index, or that in one of several columns, is left_out have no place
                         */
    int64_t left_out;
    int64_t along[OPERAND_RANK_MAX]; /* elements that a step of each dim of the positions adds to offsets */
};

/* The offset of a position that has no place: nothing is moved there or added. */
#define INDEX_NO_PLACE INT64_MAX

/* Whether one of so many numbers, which lie `apart` bytes from one another, is below -below or above size - 1. */
typedef bool index_has_beyond(const unsigned char *source, int64_t apart, int64_t count, uint64_t size,
                              uint64_t below);

/* Fills in what follows from the view; -1 for element where the parameter is no list. */
void index_describe(struct index_entry *entry, const struct call *call, unsigned parameter, int32_t element);

/*
 * Sets offset[p] for each position p of the shape, in row-major order, to step times the index there, or adds
 * that; where offset is NULL, as it may be of plain indices, it only looks whether they are legal. The entry
 * broadcasts to the shape. 0, or the status of operation_fail for the first index that is not legal; offsets
 * mean nothing then.
 */
int index_read(const struct index_entry *entry, const void *address, const struct shape *shape, bool adds,
               int64_t *offset);

/*
 * Reads the offsets of some positions at a time, as index_read() does of all, from indices that it has found
 * legal before, instead of offsets that were kept. Indices are plain: INT64, and all must be legal.
 */
struct index_reader {
    const struct index_entry *entry;
    const unsigned char *address;
    const struct shape *shape;
    struct nest nest; /* over the shape: of the entry, which broadcasts, and of what it adds along dims */
    bool adds;
    int64_t *offset;              /* or NULL: indices are checked alone */
    _Atomic uint64_t first_fault; /* the lowest position whose index is not legal */
};

bool index_is_plain(const struct index_entry *entry);
void index_reader_begin(struct index_reader *reader, const struct index_entry *entry, const void *address,
                        const struct shape *shape);

/* The elements, of so many bytes each, that the indices of some positions name: to places that are to_step
 * elements apart. */
void index_reader_take(const struct index_reader *reader, uint64_t position, uint64_t count,
                       const unsigned char *from, unsigned char *to, int64_t to_step, int64_t bytes);

/*
 * A list of indices and masks into the first dims of a tensor, as in self[indices]: an empty entry stands for
 * a whole dim, a mask for as many as it has. Which shape they have together is known when the masks among
 * them have been counted.
 */
struct index_entries {
    struct shape shape;               /* of the indexed tensor */
    int64_t stride[OPERAND_RANK_MAX]; /* and its strides */
    bool has_masks;
    bool is_in_front; /* dims that are not indexed lie between those that are */
    bool is_indexed[OPERAND_RANK_MAX];
    uint32_t count;
    struct index_entry entry[OPERAND_RANK_MAX]; /* those with elements */
};

/* Describes the entries of a list that index a tensor; the dtypes and the tensor's rank have been checked. */
aclnnStatus index_describe_list(const struct call *call, unsigned tensor, unsigned list,
                                struct index_entries *entries);

/* What the entries lead to: their shape, and that of self[indices] with the place of theirs in it. */
struct index_found {
    struct shape indices, result;
    uint32_t place;
    int64_t count[OPERAND_RANK_MAX];       /* of a mask's elements that are true */
    const int64_t *list[OPERAND_RANK_MAX]; /* and where their offsets are */
};

/* In phase 1, where a mask may turn out as long as the other indices. */
aclnnStatus index_infer(const struct call *call, unsigned tensor, unsigned list,
                        const struct index_entries *entries, struct index_found *found);

/* In phase 2, with room for the offsets of masks: counts them, or fails; a result of too many dims is left
 * without any. Then the offset of each position, or the status of operation_fail. */
int index_count(const struct index_entries *entries, void *const *address, unsigned char *room,
                struct index_found *found);
int index_find(const struct index_entries *entries, void *const *address, const struct index_found *found,
               int64_t *offset);

/* Bytes of room for masks, and the most positions that there may be. */
size_t index_mask_bytes(const struct index_entries *entries);
uint64_t index_positions_max(const struct index_entries *entries);

/* UINT64_MAX / 64, more than any memory has, where there are so many. */
uint64_t index_elements(const struct shape *shape);

/* What index_sum computes with, on each level. */
const struct index_floats *index_floats_of(enum isa_level level);

/*
 * Enters all dims of the second pass, the tensor in the order of positions having these strides along those
 * of the result.
 */
struct index_walk;
void index_set_dims(struct index_walk *walk, const struct index_entries *entries,
                    const struct index_found *found, const int64_t *stride);

/*
 * The second pass. Positions are row-major; of their axes only `to` counts, the stride in the tensor that is
 * not indexed. A slice is what belongs to one position; its axes go from what is read to what is written.
 */
enum index_sum_kind { INDEX_ADD = 1, INDEX_MULTIPLY, INDEX_MAXIMUM, INDEX_MINIMUM, INDEX_MEAN };

struct index_walk {
    const struct transfer *transfer;
    aclDataType dtype;
    uint32_t bytes;
    bool puts; /* what is written is indexed; otherwise what is read is */
    const unsigned char *from;
    unsigned char *to;
    const int64_t *offset;             /* of each position, in the indexed tensor */
    const struct index_reader *reader; /* or, of index_move, what takes elements by their indices */
    uint64_t count;                    /* positions, 1 at least */
    uint64_t extent; /* of the indexed tensor: all offsets are below it, but for INDEX_NO_PLACE */
    bool is_dense;   /* it has so many elements */
    uint32_t position_count, slice_count;
    struct move_axis position[OPERAND_RANK_MAX], slice[OPERAND_RANK_MAX];

    /* The loop's own: slices are cut into outer axes and, from axis `inner` on, what is moved at once, of
     * which the first axis is cut into pieces. */
    uint32_t inner;
    int64_t piece;
    uint64_t pieces, outer;          /* how many */
    uint64_t shares, buckets;        /* that threads take, of positions or by place */
    const int64_t *sorted, *ordered; /* of sums: offsets in order, and their positions */
    void *sums;                      /* or one for each place */
    unsigned char *is_added;         /* and whether it took anything in, of floats what made it NaN */

    /* What index_sum makes of them. */
    enum index_sum_kind sum_kind;
    bool divides;    /* by the number of positions of a place */
    bool skips_self; /* a place begins with its first position, not with what was there */
    bool has_factor; /* what is read is multiplied by it */
    bool is_complex; /* the only axis of a slice are the two parts of a number */
    double factor;
    int64_t integer_factor;
    const struct index_floats *floats;
};

/* Enters the axes of a dim. */
void index_add_position(struct index_walk *walk, int64_t size, int64_t stride);
void index_add_slice(struct index_walk *walk, int64_t size, int64_t from, int64_t to);

/* What is read by index, or written: of several positions with one offset the last one counts. */
void index_move(struct index_walk *walk);

/*
 * Adds what is read to what is written, position after position: floats in doubles that are rounded once at
 * the end, integers by their low bits, BOOL to whether any is true. room is index_sum_bytes(count) long.
 * sum_kind has it multiply, or keep the largest or smallest, NaN if there is one; a mean counts what was
 * there, unless it is skipped, and that of integers is rounded down. 0 stands for INDEX_ADD.
 */
void index_sum(struct index_walk *walk, void *room);
size_t index_sum_bytes(uint64_t count);

/* For the loop's files: axes in order, merged. */
void index_arrange(struct index_walk *walk);

/* Parts of the places, for threads that look through all positions each. */
uint64_t index_buckets(void);

/* Where a position lies in the tensor that is not indexed, in elements. */
int64_t index_place(const struct index_walk *walk, uint64_t position);

/* Where the outer axes and the piece of a number lie, in elements; returns the piece's size. */
int64_t index_slice(const struct index_walk *walk, uint64_t number, int64_t *from, int64_t *to);

#endif
