/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The contraction family: out = alpha * (left @ right) + beta * self for batches of matrices, and whatever
 * else can be written as a sum of products over one common dim.
 *
 * What fixes every bit of a result: the common dim is cut into blocks of CONTRACTION_BLOCK. A block's sum
 * begins at +0 and takes one fused multiply-add in FLOAT per product, in increasing order; where both
 * operands are BFLOAT16, of each pair of steps from the block's beginning on the odd one first, then the even
 * one, as processors multiply pairs, and at last one that has no other. The blocks' sums are added in order.
 * The epilogue computes in FLOAT on that sum, fused(alpha, sum, beta * self), and rounds once to the dtype of
 * the output. Elements are independent of one another, so that neither the level, nor the number of threads,
 * nor the layout, nor the place of a matrix in a batch shows. With is_exact all of it is in DOUBLE, where the
 * products are exact, and there is one rounding.
 *
 * Inside, the rows of the output are the lanes of the left operand and its columns those of the right one,
 * with vectors along the columns. contraction_prepare may exchange the two.
 */
#ifndef BELAY_OPS_CONTRACTION_CONTRACTION_H
#define BELAY_OPS_CONTRACTION_CONTRACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "base/processor.h"

enum { CONTRACTION_BLOCK = 256, CONTRACTION_BATCH_AXES = 6 };

struct contraction;

/* One side of the product, self or the output: a batch of matrices in memory. Strides count elements. */
struct contraction_matrix {
    aclDataType dtype; /* FLOAT, FLOAT16 or BFLOAT16, but in a plain way */
    uint32_t bytes;    /* of an element */
    uint32_t address;  /* its index among the addresses of a run */
    bool is_direct;    /* read where it lies, not from a panel: floats, halves on the right, any by one row */
    int64_t
        stride[2]; /* an operand's: along its lanes, along the common dim; self's and out's: row, column */
    int64_t batch_stride[CONTRACTION_BATCH_AXES];
    /* Of an operand in FRACTAL_NZ: element x along this side lies x / group * group_stride + x % group
     * elements behind the one that has 0 there. A group of 0 is a plain matrix. */
    uint32_t group, grouped_side;
    int64_t group_stride;
    int64_t first; /* elements from its address to element (0, 0) */
};

/*
 * What packing is asked for: element (lane + i, first + k) of the operand as a float, for k below depth,
 * which is CONTRACTION_BLOCK at most, and i below lanes, and 0 for further i up to a multiple of width.
 * Panels of width lanes lie one after the other: to[(i / width * depth + k) * width + i % width].
 */
struct contraction_panel {
    const struct contraction_matrix *operand;
    const unsigned char *matrix; /* element (0, 0) */
    uint64_t lane, first;
    uint32_t lanes, width, depth;
    float *to;
};

/* A family member whose operand is not a strided matrix has a function of its own, and a plan that begins
 * with a struct contraction. */
typedef void contraction_pack(const struct contraction *plan, const struct contraction_panel *panel);

/* One call of the innermost loop. */
struct contraction_step {
    const float *left, *right; /* a single row's right: elements of dtype instead; direct_halves': FLOAT16 */
    int64_t left_lane, left_step, right_step; /* strides in elements */
    /* Of placed: where a step's columns are, in floats from right, for each step; of spread also its rows, from
     * left; and what lies between its two vectors there and in the sums. */
    const int64_t *place, *left_place;
    int64_t right_vector, sums_vector;
    uint32_t depth;
    uint32_t columns;  /* of a single row: whole vectors, or panels where it is placed */
    aclDataType dtype; /* of a single row: of the right side's elements */
    bool takes_pairs;  /* of each two steps the second one first */
    bool is_near;      /* of a single row: the right operand may still be in a cache */
    bool adds;         /* to the sums of earlier blocks */
    void *sums;        /* float, or double where is_exact */
    int64_t sums_step; /* from row to row */
    /* Where the results are these sums: the place for them, canonical and in out_dtype, rows out_bytes apart; sums
     * are not stored then. Else NULL. And floats that are added to them before, perhaps in that place; or NULL. */
    unsigned char *out;
    const unsigned char *self;
    int64_t out_bytes, self_bytes;
    aclDataType out_dtype;
};
typedef void contraction_multiply(const struct contraction_step *step);

/* One row, or few, of floats by columns whose steps are consecutive elements: all blocks at once. */
struct contraction_row {
    const float *left;
    const unsigned char *right; /* the first column; of an operand that is no strided matrix, its memory */
    uint64_t lane;              /* of the first column */
    int64_t column_bytes;       /* from column to column */
    aclDataType dtype;          /* of right */
    uint32_t rows, columns;
    bool takes_pairs;
    bool is_near; /* the whole operand that the columns are of may still be in a cache */
    uint64_t depth;
    float *sums; /* a multiple of ROW_COLUMNS of them */
};
enum { ROW_COLUMNS = 32 };

/*
 * A single row's product with an operand that has a packing of its own, and that of up to ROWS_ACROSS rows:
 * left and sums have depth and ROW_COLUMNS floats a row.
 */
enum { ROWS_ACROSS = 4 };
typedef void contraction_multiply_row(const struct contraction *plan, const struct contraction_row *row);

/* Sums that are complete, and where what becomes of them goes. */
struct contraction_tile {
    const void *sums;
    int64_t sums_step;
    uint32_t rows, columns;
    const unsigned char *self; /* elements of the tile's first row and column; NULL without self */
    unsigned char *out;
};

/* What a level computes with. */
struct contraction_kernels {
    uint32_t vector_lanes,
        lane_block; /* floats in a vector; what the width of a left panel is a multiple of */
    uint32_t rows_max, rows_direct_max, rows_exact_max;
    contraction_multiply *const (*packed)[14], *const (*direct)[14]; /* [vectors - 1][rows - 1] */
    contraction_multiply *const (
        *direct_halves)[14]; /* direct by columns of FLOAT16 where they lie; or NULL */
    contraction_multiply *const (*exact)[14];
    contraction_multiply *const *placed, *const *placed_exact; /* [rows - 1], of a panel */
    contraction_multiply *const *direct_placed, *const (*spread)[14];
    contraction_multiply *placed_row; /* a single row by columns of whole panels, which lie side by side */
    /* Of steps that are words of two (pairs.h), and their packing, which says whether these may be used; NULL
     * below avx512. */
    contraction_multiply *const (*pairs)[14], *const (*direct_pairs)[14];
    bool (*pack_pairs)(const struct contraction_panel *panel);
    /* The same of steps that lie side by side and are not packed: direct_pairs take rows of them. */
    bool (*are_ordinary)(const struct contraction_panel *panel);
    contraction_multiply *wide; /* a single row by columns that take up to wide_bytes */
    uint32_t wide_bytes;
    void (*across)(const struct contraction_row *row); /* may be NULL */
    contraction_pack *pack;                            /* of strided matrices */
    /* Rows of 16 bits as floats, one after the other: width floats a row, whole vectors, 0 behind depth. */
    void (*widen)(const struct contraction_panel *panel);
    void (*finish)(const struct contraction *plan, const struct contraction_tile *tile);
};

/* The first elements of the matrices of a run. */
struct contraction_places {
    const unsigned char *left, *right, *self;
    unsigned char *out;
};
typedef void contraction_plain(const struct contraction *plan, const struct contraction_places *places);

struct contraction {
    /* What the caller sets; the rest is zero. */
    uint64_t rows, columns, depth; /* depth 0: there is no product, and out = beta * self */
    uint32_t batch_axes;
    uint64_t batch_size[CONTRACTION_BATCH_AXES];
    struct contraction_matrix left, right, self, out;
    contraction_pack *pack_left, *pack_right; /* NULL: strided */
    contraction_multiply_row *multiply_row;   /* beside pack_right, for few rows; may be NULL */
    double alpha, beta;                       /* floats where the default accuracy computes */
    uint64_t joined; /* parts of the common dim, batch_stride[0] apart, for contraction_pack_joined; or 0 */
    contraction_plain *plain; /* of dtypes without kernels: computes everything; NULL with them */
    bool has_self;            /* otherwise self is neither set nor read */
    bool is_exact;

    /* What contraction_prepare finds out. */
    const struct contraction_kernels *kernels;
    uint32_t rows_at_once, tile_rows, tile_columns; /* of the innermost loop and of one thread's task */
    uint64_t tiles_down, tiles_across, tile_count;  /* tile_count includes the batch */
    bool is_wide, is_across;                        /* the ways of a single row */
    bool takes_pairs;                               /* of BFLOAT16 on both sides */
    bool has_quick_pairs;                           /* by the processor's products of them, where it may */
    bool left_is_pairs;                             /* its rows are read as pairs where they lie */
    bool left_is_widened;                           /* row by row; panels turn rows otherwise */
    bool right_is_halves;                           /* of FLOAT16, read where it lies by more rows than one */
    bool results_are_sums; /* side by side; perhaps with a self that is added to them */
    uint32_t widened_rows; /* of the left side, at a time: a multiple of rows_at_once */
    uint32_t slots;        /* threads that may work at once */
    uint64_t panel_bytes, right_bytes, sums_bytes; /* of a slot: the left panel, the right block, the sums */
    uint64_t cost_ns;
};

/* Whether sums are complete after one block of steps, so that they need no place between blocks. */
static inline bool contraction_is_one_block(const struct contraction *plan)
{
    return plan->depth <= CONTRACTION_BLOCK;
}

/* Chooses kernels of a level and how to cut the work for so many threads. Out is not empty. */
void contraction_prepare(struct contraction *plan, enum isa_level level, uint32_t threads);

struct executor_content;

/* Self may be the output where they lie alike. */
void contraction_may_be_in_place(const struct contraction *plan, struct executor_content *content);

/* Packs both sides where the sums go on through the matrices of a batch: without batch axes. */
contraction_pack contraction_pack_joined;

/* For struct operation: the plan begins with a struct contraction. */
size_t contraction_work_bytes(const void *plan);
int contraction_run(const void *plan, void *const *address, void *scratch);

/* No less than the work of any plan takes for these and that depth or less: where shapes are not known
 * before the work runs. */
size_t contraction_most_bytes(enum isa_level level, uint32_t threads, uint64_t depth);

#endif
