/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Who goes where: what a plan holds that takes rows to their experts, and how it runs.
 */
#ifndef BELAY_OPS_EXPERTS_INIT_ROUTING_H
#define BELAY_OPS_EXPERTS_INIT_ROUTING_H

#include "ops/experts/experts.h"
#include "ops/quantise/moved_rows.h"

/* What is read, then what is written. */
enum part {
    X,
    INDEX,
    SCALE,
    OFFSET,
    ROW_NUMBERS, /* the first version's */
    ROWS,
    MAP,
    SORTED,
    COUNTS,
    BEFORE,
    ROW_SCALES,
    PARTS
};

/* Attributes. */
enum number {
    ACTIVE,
    CAPACITY,
    EXPERT_COUNT,
    PAD,
    COUNT_TYPE,
    COUNT_FLAG,
    BEFORE_FLAG,
    QUANT,
    RANGE,
    ROW_TYPE
};

enum version { FIRST, SECOND, THIRD }; /* by what their numbers mean */

enum counts { COUNTS_NONE, COUNTS_CUMULATED, COUNTS_EACH, COUNTS_PAIRS };

/* What of scaleOptional a row is multiplied by before it is quantised. */
enum row_factors { FACTORS_NONE, FACTORS_ONE, FACTORS_COLUMNS };

struct routing_plan {
    struct ports ports;
    uint64_t tokens, top_k, width, rows; /* rows that come out */
    int64_t low, high;                   /* experts that count: from low on, below high */
    int64_t experts;                     /* of all, which pairs are for */
    int64_t capacity;                    /* of each expert; 0: rows lie one behind the other */
    uint64_t cost_ns;
    enum counts counts;
    struct moved_rows numbers; /* what rows become; no format: they stay as they are */
    uint64_t scales;           /* that each of them has */
    enum row_factors factors;
    bool packs_words;    /* eight INT4 to an INT32 */
    bool is_first;       /* version: rows have numbers, and tokens the numbers modulo theirs */
    bool is_scatter;     /* MAP says of each row where it comes from */
    bool has_scale_each; /* an own row of factors for each expert */
};

/* What quantMode makes of a row. */
struct quant_mode {
    aclDataType dtype;
    enum moved_scales scales;
    enum row_factors factors;
    bool is_missing, has_pairs, has_offset;
    float least; /* what the greatest size of an MX block is at least */
};

/* NULL: rows stay as they are. */
const struct quant_mode *quant_mode_of(const struct call *call);

/* quantMode is one of the version's and the product's; then what it asks of x, the factors of so many experts and the
 * outputs. */
aclnnStatus check_mode(const struct call *call);
aclnnStatus check_quantising(const struct call *call, int64_t experts);

/* What rows become, and of which dtype an element of them is, with how many numbers: of INT4 it may be an INT32 of
 * eight. */
struct moved_rows rows_made(const struct call *call);
aclDataType dtype_made(const struct call *call);
unsigned packs_made(const struct call *call);

/* Whether rows have scales, how many each, and of which dtype; and their output. */
bool has_row_scales(const struct call *call);
uint64_t row_scales(const struct call *call, aclDataType *dtype);
void add_row_scales(const struct call *call, struct result *result, int64_t rows);

size_t routing_work_bytes(const void *plan);
int routing_run(const void *plan, void *const *address, void *scratch);

#endif
