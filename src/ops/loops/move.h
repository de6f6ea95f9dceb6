/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that only move elements: each is a list of parts, and a part copies one nest of axes from an
 * operand to another one. The function says where elements come from and go to; axes are put in order and
 * merged, and tiles, dtypes and threads are the loop's.
 */
#ifndef BELAY_OPS_LOOPS_MOVE_H
#define BELAY_OPS_LOOPS_MOVE_H

#include "ops/call.h"
#include "ops/transfer.h"

/* The most axes of one part: a dim may become two (a tensor that is repeated). */
enum { MOVE_AXES_MAX = 2 * OPERAND_RANK_MAX };

struct move_axis {
    int64_t size;
    int64_t from, to; /* strides in elements; from may be 0 or negative, to is not 0 where size > 1 */
};

struct move_part {
    uint32_t from, to; /* operands, by their index among phase 2's addresses */
    aclDataType dtype; /* of what is read */
    uint32_t axis_count;
    int64_t from_first, to_first; /* elements from the operand's first one */
    bool is_zeros;                /* nothing is read: the first element is 0 */
    uint64_t first_tile;          /* among those of all parts */
    int64_t tile_rows, tile_columns;
    struct move_axis axis[MOVE_AXES_MAX]; /* at least two in the end: the last ones are rows and columns */
};

/* Its parts follow it. Parts write to disjoint places. */
struct move_plan {
    const struct transfer *transfer;
    aclDataType through; /* what elements become, */
    aclDataType result;  /* before they become this */
    bool streams;        /* too much for the caches: long runs are written past them */
    uint32_t part_count;
    uint64_t tile_count, tiles_at_once; /* all, and what is worth handing out to a thread */
    uint64_t cost_ns;
};

static inline struct move_part *move_parts(const struct move_plan *plan)
{
    return (struct move_part *)(uintptr_t)(plan + 1);
}

/*
 * An executor with room for so many parts, which the function adds, and move_finish ends phase 1. Nothing may
 * fail in between. Elements of dtype `through` and `result` are copied bit by bit.
 */
aclnnStatus move_begin(const struct call *call, uint32_t parts, aclDataType through, aclDataType result,
                       struct executor_content **content, struct move_plan **plan);
struct move_part *move_add(struct move_plan *plan, uint32_t from, uint32_t to, aclDataType dtype);
/* A part that writes zeros: its axes stay where they are in what is read (from is 0). */
struct move_part *move_add_zeros(struct move_plan *plan, uint32_t to);
void move_add_axis(struct move_part *part, int64_t size, int64_t from, int64_t to);
void move_finish(const struct call *call, struct executor_content *content, struct move_plan *plan);

/*
 * Puts axes in the order of falling strides of what is written, without those of size 1, and merges those
 * that are one in both memories. Returns how many are left, 0 for one element.
 */
uint32_t move_merge(struct move_axis *axis, uint32_t count);

/* The part of an operation, for MOVE. */
int move_run(const void *plan, void *const *address, void *scratch);

/* In the description of a function: its family and how it runs. */
#define MOVE .family = FAMILY_MOVE, .promise = &promise_exact, .operation.run = move_run

/* Chooses rows, columns and tiles of a part of so many bytes per element. Returns how many tiles it has. */
uint64_t move_tile(struct move_part *part, uint32_t bytes, bool converts);

#endif
