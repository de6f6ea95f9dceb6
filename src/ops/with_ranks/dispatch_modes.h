/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What quantMode of MoeDistributeDispatch makes of rows: numbers of the dtype of the output, of which each mode has
 * some. Modes other than 0 and 2 are the newest product's.
 */
#ifndef BELAY_OPS_WITH_RANKS_DISPATCH_MODES_H
#define BELAY_OPS_WITH_RANKS_DISPATCH_MODES_H

#include "ops/quantise/moved_rows.h"
#include "ops/with_ranks/pairs.h"

/* What is read, then what is written. */
enum {
    X,
    IDS,
    SCALES,
    MASK,
    WEIGHTS,
    ROWS,
    ROW_SCALES,
    INDEX,
    ASSIST,
    TOKEN_COUNTS,
    RECEIVED,
    TP_RECEIVED,
    ROW_WEIGHTS,
    PARTS
};

enum {
    DISPATCH_UNCHANGED,
    DISPATCH_STATIC, /* times the factors, and no scale is made */
    DISPATCH_BY_ROW,
    DISPATCH_BY_128,
    DISPATCH_BY_MX,
    DISPATCH_BY_MX_TOO /* no public source says what sets it apart */
};

/* The mode is one of the product's, and the output of rows, a parameter, has one of its dtypes. */
aclnnStatus check_dispatched(const struct call *call, unsigned rows, int64_t mode);

/* Whether rows of x have few bits already, and maybe scales that go with them. */
bool is_made_before(const struct call *call);

/*
 * What the scales are: with x of 16 bits and a mode that quantises factors of each expert's numbers; with rows that have
 * few bits already some for each of them, or one where x is INT32, of which each holds several numbers.
 */
aclnnStatus check_scales_of_mode(const struct call *call, int64_t mode, int64_t experts);

/* Of a mode that is. */
struct moved_rows dispatched_rows(const struct call *call, unsigned rows, int64_t mode);

#endif
