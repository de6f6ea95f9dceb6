/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Who goes where: what a plan holds that takes rows to their experts, and how it runs.
 */
#ifndef BELAY_OPS_EXPERTS_INIT_ROUTING_H
#define BELAY_OPS_EXPERTS_INIT_ROUTING_H

#include "ops/experts/experts.h"

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

enum counts { COUNTS_NONE, COUNTS_CUMULATED, COUNTS_EACH, COUNTS_PAIRS };
enum quantising { QUANTISED_NOT = -1, QUANTISED_GIVEN, QUANTISED_ROW };

struct routing_plan {
    struct ports ports;
    uint64_t tokens, top_k, width, rows; /* rows that come out */
    int64_t low, high;                   /* experts that count: from low on, below high */
    int64_t experts;                     /* of all, which pairs are for */
    int64_t capacity;                    /* of each expert; 0: rows lie one behind the other */
    uint64_t cost_ns;
    enum counts counts;
    enum quantising quantising;
    bool is_first;       /* version: rows have numbers, and tokens the numbers modulo theirs */
    bool is_scatter;     /* MAP says of each row where it comes from */
    bool has_scale_each; /* an own row of factors for each expert */
};

size_t routing_work_bytes(const void *plan);
int routing_run(const void *plan, void *const *address, void *scratch);

#endif
