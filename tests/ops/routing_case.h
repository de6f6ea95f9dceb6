/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of MoeInitRouting with anything that they may have, and what must become of pairs, their map and counts, by
 * loops that know no order; what a row must be its test says. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_ROUTING_CASE_H
#define BELAY_TESTS_OPS_ROUTING_CASE_H

#include "ops/number_tensor.h"

enum { SIZE_MAX_ = 400 };

struct routing {
    const char *function;
    int64_t tokens, k, width, experts, low, high, active, capacity, rows;
    int version, counts, quant; /* 0 none, 1 sums, 2 each, 3 pairs; -1 none, 0 given, 1 row */
    bool is_scatter, has_scale;
    /* What quantMode above 1 and x of few bits have; others leave it out. */
    aclDataType x;
    void (*give_made)(struct named_call *call, const struct routing *r);
};

/* Of a function, whose version is V2, its quantised form or V3. */
static inline struct routing draw_routing(const char *function, int version)
{
    struct routing r = {.function = function,
                        .version = version,
                        .tokens = 1 + random_below(40),
                        .k = 1 + random_below(4),
                        .width = random_below(6) == 0 ? 700 : 1 + random_below(30),
                        .experts = 1 + random_below(9),
                        .quant = version == 0   ? -1
                                 : version == 1 ? (int)random_below(2)
                                                : (int)random_below(3) - 1};
    r.high = r.experts;
    if (version >= 2 && random_below(2) == 0) {
        r.low = random_below(r.experts);
        r.high = r.low + 1 + random_below(r.experts - r.low);
    }
    r.capacity = r.low == 0 && r.high == r.experts && random_below(3) == 0 ? 1 + random_below(r.tokens) : 0;
    r.active = r.capacity == 0 && random_below(3) == 0 ? 1 + random_below(r.tokens * r.k + 3) : 0;
    r.rows = r.capacity > 0                              ? r.experts * r.capacity
             : r.active > 0 && r.active < r.tokens * r.k ? r.active
                                                         : r.tokens * r.k;
    r.counts = (int)random_below(version >= 2 ? 4 : 3);
    r.is_scatter = version >= 2 && random_below(2) == 0;
    r.has_scale = r.quant == 0 || (version > 0 && random_below(2) == 0);
    return r;
}

/* The rows that come out and their scales, INT8 or of x's dtype. */
static inline void give_rows(struct named_call *call, const struct routing *r, aclDataType dtype)
{
    const aclDataType made = r->quant < 0 ? dtype : ACL_INT8;
    if (r->capacity > 0)
        GIVE(call, "expandedX", made, r->experts, r->capacity, r->width);
    else
        GIVE(call, "expandedX", made, r->rows, r->width);
    GIVE(call, r->version == 1 ? "dynamicQuantScale" : "expandedScale", ACL_FLOAT, r->rows);
}

static inline struct named_call call_of_routing(const struct routing *r)
{
    struct named_call call = call_begin_named(r->function);
    const aclDataType dtype =
        r->version >= 2 && r->quant < 0 && random_below(3) == 0 ? ACL_INT8 : short_dtypes[random_below(3)];
    const struct layout *x = r->x != ACL_FLOAT
                                 ? give_codes(&call, "x", r->x, 2, (int64_t[]){r->tokens, r->width})
                                 : GIVE(&call, "x", dtype, r->tokens, r->width);
    for (int64_t i = 0; r->x == ACL_FLOAT && dtype == ACL_INT8 && i < x->count; i++)
        set_whole(x, i, random_below(256) - 128);
    const bool is_flat = r->k == 1 && random_below(2) == 0;
    const struct layout *index = give_tensor(&call, "expertIdx", random_below(2) == 0 ? ACL_INT32 : ACL_INT64,
                                             is_flat ? 1 : 2, (int64_t[]){r->tokens, r->k});
    for (int64_t i = 0; i < index->count; i++)
        set_whole(index, i, random_below(r->experts + 3) - 1);
    if (r->has_scale && r->quant < 0 && r->x != ACL_FLOAT)
        give_codes(&call, "scale", ACL_FLOAT8_E8M0, 3, (int64_t[]){r->tokens, (r->width + 63) / 64, 2});
    else if (r->has_scale && r->quant < 0)
        GIVE(&call, "scale", ACL_FLOAT, r->tokens);
    else if (r->has_scale && (r->quant == 0 || r->quant == 7))
        GIVE(&call, "scale", ACL_FLOAT, 1);
    else if (r->has_scale && r->quant != 1 && r->quant != 13)
        GIVE(&call, "scale", ACL_FLOAT, 3); /* which is not looked at */
    else if (r->has_scale)
        GIVE(&call, "scale", ACL_FLOAT, random_below(2) == 0 ? 1 : r->high - r->low, r->width);
    if (r->quant == 0)
        GIVE(&call, "offset", ACL_FLOAT, 1);
    give_number(&call, "activeNum", (double)r->active);
    give_number(&call, "expertCapacity", r->capacity > 0 ? (double)r->capacity : -1);
    give_number(&call, "expertNum", (double)r->experts);
    give_number(&call, "dropPadMode", r->capacity > 0);
    give_number(&call, "quantMode", r->quant);
    give_number(&call, "rowIdxType", r->is_scatter);
    give_number(&call, "expertTokensCountOrCumsumFlag", r->counts);
    give_number(&call, "expertTokensBeforeCapacityFlag", 1);
    give_number(&call, "expertTokensNumFlag", r->counts > 0);
    give_number(&call, "expertTokensNumType", r->counts > 0 ? r->counts - 1 : 0);
    if (r->low > 0 || r->high < r->experts)
        give_array(&call, "activeExpertRange", (int64_t[]){r->low, r->high}, 2);
    else if (random_below(2) == 0)
        give_array(&call, "activeExpertRange", NULL, 0);
    if (r->give_made != NULL)
        r->give_made(&call, r);
    else
        give_rows(&call, r, dtype);
    GIVE(&call, "expandedRowIdx", ACL_INT32, r->tokens * r->k);
    if (r->counts == 3)
        GIVE(&call, "expertTokensCountOrCumsum", ACL_INT64, r->experts, 2);
    else if (r->counts > 0 && (r->version >= 2 || r->capacity == 0 || random_below(3) > 0))
        GIVE(&call, "expertTokensCountOrCumsum",
             r->version < 2 && random_below(2) == 0 ? ACL_INT32 : ACL_INT64, r->high - r->low);
    if (r->capacity > 0)
        GIVE(&call, "expertTokensBeforeCapacity", ACL_INT32, r->experts);
    return call;
}

/* The row that a pair gets, -1 for none; and its place in the order of all. */
static inline int64_t row_of_pair(struct named_call *call, const struct routing *r, int64_t pair,
                                  int64_t *place)
{
    const struct layout *index = tensor_named(call, "expertIdx");
    const int64_t own = whole_of(index, pair);
    int64_t before_own = 0;
    *place = -1;
    if (own < r->low || own >= r->high)
        return -1;
    *place = 0;
    for (int64_t i = 0; i < index->count; i++) {
        const int64_t other = whole_of(index, i);
        before_own += other == own && i < pair;
        *place += other >= r->low && other < r->high && (other < own || (other == own && i < pair));
    }
    if (r->capacity > 0)
        return before_own < r->capacity ? own * r->capacity + before_own : -1;
    return *place < r->rows ? *place : -1;
}

static inline void judge_counts(struct named_call *call, const struct routing *r)
{
    const struct layout *index = tensor_named(call, "expertIdx");
    int64_t sum = 0, pairs = 0;
    for (int64_t e = r->low; e < r->high; e++) {
        int64_t found = 0;
        for (int64_t i = 0; i < index->count; i++)
            found += whole_of(index, i) == e;
        sum += found;
        if ((r->counts == 1 || r->counts == 2) && is_named(call, "expertTokensCountOrCumsum"))
            assert_int_equal(whole_of(tensor_named(call, "expertTokensCountOrCumsum"), e - r->low),
                             r->counts == 1 ? sum : found);
        if (r->counts == 3 && found > 0) {
            assert_int_equal(whole_of(tensor_named(call, "expertTokensCountOrCumsum"), 2 * pairs), e);
            assert_int_equal(whole_of(tensor_named(call, "expertTokensCountOrCumsum"), 2 * pairs++ + 1),
                             found);
        }
        if (is_named(call, "expertTokensBeforeCapacity"))
            assert_int_equal(whole_of(tensor_named(call, "expertTokensBeforeCapacity"), e), found);
    }
    for (; r->counts == 3 && pairs < r->experts; pairs++)
        assert_int_equal(whole_of(tensor_named(call, "expertTokensCountOrCumsum"), 2 * pairs + 1), 0);
}

/* Runs a call and judges all of it: rows by what is handed in, which gets the pair that each is of, or -1. */
static inline void judge_routing(struct named_call *call, const struct routing *r,
                                 void (*judge_row)(struct named_call *, const struct routing *, int64_t row,
                                                   int64_t pair))
{
    int64_t pair_of_row[SIZE_MAX_], active = 0;
    for (int64_t i = 0; i < SIZE_MAX_; i++)
        pair_of_row[i] = -1;
    assert_true(r->rows <= SIZE_MAX_ && r->width <= 1024);
    assert_int_equal(run_named(call), 0);
    const struct layout *map = tensor_named(call, "expandedRowIdx");
    for (int64_t pair = 0; pair < map->count; pair++) {
        int64_t place;
        const int64_t row = row_of_pair(call, r, pair, &place);
        active += place >= 0;
        if (row >= 0)
            pair_of_row[row] = pair;
        if (!r->is_scatter || r->capacity > 0)
            assert_int_equal(whole_of(map, pair), r->capacity > 0 ? row : place);
        else if (place >= 0)
            assert_int_equal(whole_of(map, place), pair);
    }
    for (int64_t i = active; r->is_scatter && r->capacity == 0 && i < map->count; i++)
        assert_int_equal(whole_of(map, i), -1);
    for (int64_t row = 0; row < r->rows; row++)
        judge_row(call, r, row, pair_of_row[row]);
    judge_counts(call, r);
}

#endif
