/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of small numbers as calls have them: which of a function's tensors, or lists of these, is what, what
 * they must be like, and the products that come of them, one for each group. One tensor may stand for all
 * groups, with a dim more in front.
 */
#ifndef BELAY_OPS_CONTRACTION_WHOLE_CALL_H
#define BELAY_OPS_CONTRACTION_WHOLE_CALL_H

#include "ops/call.h"
#include "ops/contraction/scaled.h"

/* A tensor of a call or the tensors of a list; count 0: not given, or empty, as frameworks pass it. */
struct given {
    unsigned parameter;
    uint32_t operand;
    uint64_t count;
    const struct tensor_view *view;
};
struct given given_of(const struct call *call, unsigned parameter);

/* One of the tensors of a list, or nothing of none. */
static inline struct given given_at(struct given given, uint64_t index)
{
    given.view += given.count > 0 ? index : 0;
    given.operand += (uint32_t)index;
    given.count = given.count > 0;
    return given;
}

static inline bool is_whole_dtype(aclDataType dtype)
{
    return dtype == ACL_INT8 || dtype == ACL_INT4 || dtype == ACL_INT32;
}

/* What products of whole_call have: whole numbers, or small floats. */
static inline bool is_number_dtype(aclDataType dtype)
{
    return is_whole_dtype(dtype) || is_small_float(dtype);
}

struct whole_call {
    const struct call *call;
    struct given x, weight, scale, bias, offset, rows_scale; /* x is one tensor */
    uint64_t groups;
    bool offsets_are_end; /* the offset is one behind everything */
    aclDataType out;

    /* What whole_check finds. */
    int64_t depth, columns, parts, part; /* steps of a part but the last */
    bool is_mixed;                       /* INT8 by INT4 */
    bool is_float, rows_have_parts;
};

/* Dtypes, dims and numbers of groups; a sentence says what does not fit. */
aclnnStatus whole_check(struct whole_call *whole);
/* What it has found as the product of a group. */
void whole_product(const struct whole_call *whole, uint64_t group, struct scaled *scaled,
                   struct scaled_product *product);

/* The parts of these: the weight of a group, false where it has none; factors of columns, and of parts of the
 * common dim where they may have some, (n), (1), (1, n) or (parts, n), of small floats also of blocks of 128
 * columns, (parts, n / 128), and those of MX, (pairs of parts, n, 2); and the check of them. */
bool whole_matrix(const struct whole_call *whole, uint64_t group, struct numbers *numbers);
bool whole_factors(const struct whole_call *whole, const struct given *given, uint64_t group, int64_t *parts,
                   struct factors *factors);
aclnnStatus whole_check_factors(const struct whole_call *whole, const struct given *given,
                                bool may_have_parts, int64_t *parts);
/* How many rows x has. */
int64_t whole_rows(const struct whole_call *whole);

#endif
