/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Pairs of a token and a choice in the order of their experts, those of one expert in their own; the map there
 * and back; how many each expert has; and the rows of tokens in that order, quantised if need be.
 */
#include <inttypes.h>
#include <string.h>

#include "ops/experts/along_map.h"
#include "ops/experts/init_routing.h"
#include "ops/loops/tasks.h"
#include "ops/sorting/radix.h"
#include "runtime/streams/fault.h"

enum { PIECE = MOVED_PIECE, ROWS_AT_ONCE = 4, WORD = 8 };

/* Pairs are numbered by token and then by choice. Behind the active ones the order has the others. */
struct routing {
    const struct routing_plan *plan;
    void *const *address;
    uint64_t pairs, active;
    int64_t *expert; /* of each pair; of one that does not count INT64_MAX */
    int64_t *order;  /* of pairs */
    int64_t *map;
    int64_t *token;  /* of each row that comes out; -1: none */
    int64_t *factor; /* and its expert, from 0 */
};

static uint64_t pairs_of(const struct routing_plan *plan)
{
    return plan->tokens * plan->top_k;
}

size_t routing_work_bytes(const void *prepared)
{
    const struct routing_plan *plan = prepared;
    return 5 * whole_lines(pairs_of(plan) * sizeof(int64_t)) + 2 * whole_lines(plan->rows * sizeof(int64_t)) +
           whole_lines((uint64_t)RADIX_BLOCKS_MAX * RADIX_BUCKETS * sizeof(uint32_t));
}

static void read_experts(struct routing *routing)
{
    const struct routing_plan *plan = routing->plan;
    port_bring(&plan->ports.at[INDEX], routing->address, 0, routing->pairs, routing->expert);
    for (uint64_t i = 0; i < routing->pairs; i++) {
        const bool counts =
            plan->is_first || (routing->expert[i] >= plan->low && routing->expert[i] < plan->high);
        routing->expert[i] = counts ? routing->expert[i] : INT64_MAX;
        routing->active += counts;
    }
}

/* The order takes what the words of the sort had. */
static void sort_pairs(struct routing *routing, uint64_t *words, uint64_t *other, uint32_t *counts)
{
    struct radix radix = {
        .row = routing->expert, .dtype = ACL_INT64, .words = words, .other = other, .counts = counts};
    if (routing->pairs == 0)
        return;
    radix_divide(&radix, routing->pairs, routing->plan->cost_ns);
    radix_sort_row(&radix);
    for (uint64_t i = 0; i < routing->pairs; i++)
        routing->order[i] = (int64_t)(radix.words[i] & UINT32_MAX);
}

/* Of the first version: the order becomes that of the rows' numbers. */
static int number_rows(struct routing *routing, int64_t *number)
{
    port_bring(&routing->plan->ports.at[ROW_NUMBERS], routing->address, 0, routing->pairs, number);
    for (uint64_t i = 0; i < routing->pairs; i++)
        if ((uint64_t)number[i] >= routing->pairs)
            return operation_fail(
                ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                "rowIdx holds %" PRId64 " at [%" PRIu64 ", %" PRIu64 "]; 0 to %" PRIu64 " are expected",
                number[i], i / routing->plan->top_k, i % routing->plan->top_k, routing->pairs - 1);
    for (uint64_t i = 0; i < routing->pairs; i++)
        routing->order[i] = number[routing->order[i]];
    return 0;
}

/* A pair goes to a row, of those that come out or of those that were cut off. */
static void place_pair(struct routing *routing, uint64_t row, int64_t pair, bool is_there)
{
    const struct routing_plan *plan = routing->plan;
    if (!plan->is_scatter)
        routing->map[pair] = (int64_t)row;
    if (!is_there)
        return;
    const uint64_t number = (uint64_t)pair;
    routing->token[row] = (int64_t)(plan->is_first ? number % plan->tokens : number / plan->top_k);
    routing->factor[row] = plan->is_first ? 0 : routing->expert[pair] - plan->low;
}

static void place_pairs(struct routing *routing)
{
    const struct routing_plan *plan = routing->plan;
    memset(routing->map, 0xff, (size_t)routing->pairs * sizeof routing->map[0]); /* -1 */
    memset(routing->token, 0xff, (size_t)plan->rows * sizeof routing->token[0]);
    uint64_t first = 0; /* of the expert's */
    for (uint64_t i = 0; i < routing->active; i++) {
        const int64_t pair = routing->order[i];
        if (plan->is_scatter)
            routing->map[i] = pair;
        if (plan->capacity == 0) {
            place_pair(routing, i, pair, i < plan->rows);
            continue;
        }
        if (i > 0 && routing->expert[pair] != routing->expert[routing->order[i - 1]])
            first = i;
        const uint64_t capacity = (uint64_t)plan->capacity;
        if (i - first < capacity)
            place_pair(routing, (uint64_t)(routing->expert[pair] - plan->low) * capacity + i - first, pair,
                       true);
    }
}

/* A row's elements times its expert's factors, or times a scale, and an offset. */
static void bring_scaled(const void *context, uint64_t row, uint64_t at, uint64_t count, double *to)
{
    const struct routing *routing = context;
    const struct routing_plan *plan = routing->plan;
    double factor[PIECE] __attribute__((uninitialized)), offset;
    port_bring(&plan->ports.at[X], routing->address, (uint64_t)routing->token[row] * plan->width + at, count,
               to);
    if (has_port(&plan->ports, SCALE)) {
        const bool is_one = plan->factors == FACTORS_ONE;
        const uint64_t factors = plan->has_scale_each ? (uint64_t)routing->factor[row] * plan->width : 0;
        port_bring(&plan->ports.at[SCALE], routing->address, is_one ? 0 : factors + at, is_one ? 1 : count,
                   factor);
        for (uint64_t i = 0; i < count; i++)
            to[i] *= factor[is_one ? 0 : i];
    }
    if (has_port(&plan->ports, OFFSET)) {
        port_bring(&plan->ports.at[OFFSET], routing->address, 0, 1, &offset);
        for (uint64_t i = 0; i < count; i++)
            to[i] += offset;
    }
}

static void put_numbers(const void *context, uint64_t row, uint64_t at, uint64_t count, const uint8_t *code)
{
    const struct routing *routing = context;
    const struct routing_plan *plan = routing->plan;
    const uint64_t first = row * plan->width + at;
    if (!plan->packs_words) {
        port_deliver(&plan->ports.at[ROWS], routing->address, first, count, code);
        return;
    }
    uint32_t word[PIECE / WORD] __attribute__((uninitialized));
    numbers_pack(code, count, (uint8_t *)word);
    port_deliver(&plan->ports.at[ROWS], routing->address, first / WORD, count / WORD, word);
}

static void put_scales(const void *context, uint64_t row, uint64_t at, uint64_t count, const void *scale)
{
    const struct routing *routing = context;
    const struct routing_plan *plan = routing->plan;
    port_deliver(&plan->ports.at[ROW_SCALES], routing->address, row * plan->scales + at, count, scale);
}

/* A row that no pair goes to. */
static void clear_row(const struct routing *routing, uint64_t row)
{
    static const uint8_t codes[PIECE];
    static const float scales[PIECE];
    const struct routing_plan *plan = routing->plan;
    for (uint64_t at = 0; at < plan->width; at += PIECE)
        put_numbers(routing, row, at, plan->width - at < PIECE ? plan->width - at : PIECE, codes);
    for (uint64_t at = 0; at < plan->scales; at += PIECE)
        put_scales(routing, row, at, plan->scales - at < PIECE ? plan->scales - at : PIECE, scales);
}

static void quantise_row(void *context, uint64_t row)
{
    const struct routing *routing = context;
    const struct moved_way way = {routing, bring_scaled, put_numbers, put_scales};
    if (routing->token[row] >= 0)
        moved_row_write(&routing->plan->numbers, &way, row, routing->plan->width);
    else
        clear_row(routing, row);
}

static void write_rows(struct routing *routing)
{
    const struct routing_plan *plan = routing->plan;
    struct row_copies copies = {.from = &plan->ports.at[X],
                                .to = &plan->ports.at[ROWS],
                                .address = routing->address,
                                .source = routing->token,
                                .rows = plan->rows,
                                .width = plan->width,
                                .cost_ns = plan->cost_ns};
    if (plan->numbers.number.format != NULL) {
        tasks_run(quantise_row, routing, plan->rows, ROWS_AT_ONCE, plan->cost_ns);
        return;
    }
    copy_rows(&copies);
    if (!has_port(&plan->ports, ROW_SCALES))
        return;
    copies.from = &plan->ports.at[SCALE];
    copies.to = &plan->ports.at[ROW_SCALES];
    copies.width = plan->scales;
    copy_rows(&copies);
}

/* How many pairs each expert has, in any of the ways that may be asked for. */
static void write_counts(const struct routing *routing, unsigned part, enum counts counts)
{
    const struct routing_plan *plan = routing->plan;
    const struct port *port = &plan->ports.at[part];
    int64_t pair[2] = {0, 0};
    uint64_t at = 0, found = 0;
    for (int64_t expert = plan->low; expert < plan->high; expert++) {
        const uint64_t before = at;
        while (at < routing->active && routing->expert[routing->order[at]] == expert)
            at++;
        const int64_t number = (int64_t)(counts == COUNTS_CUMULATED ? at : at - before);
        if (counts != COUNTS_PAIRS) {
            port_deliver(port, routing->address, (uint64_t)(expert - plan->low), 1, &number);
        } else if (number > 0) {
            pair[0] = expert, pair[1] = number;
            port_deliver(port, routing->address, 2 * found++, 2, pair);
        }
    }
    memset(pair, 0, sizeof pair);
    for (; counts == COUNTS_PAIRS && found < (uint64_t)plan->experts; found++)
        port_deliver(port, routing->address, 2 * found, 2, pair);
}

int routing_run(const void *prepared, void *const *address, void *scratch)
{
    const struct routing_plan *plan = prepared;
    const size_t bytes = (size_t)pairs_of(plan) * sizeof(int64_t),
                 rows = (size_t)plan->rows * sizeof(int64_t);
    struct routing routing = {.plan = plan, .address = address, .pairs = pairs_of(plan)};
    size_t used = 0;
    routing.expert = take_room(scratch, &used, bytes);
    routing.order = take_room(scratch, &used, bytes);
    routing.map = take_room(scratch, &used, bytes);
    uint64_t *words = take_room(scratch, &used, bytes), *other = take_room(scratch, &used, bytes);
    routing.token = take_room(scratch, &used, rows);
    routing.factor = take_room(scratch, &used, rows);
    read_experts(&routing);
    sort_pairs(&routing, words, other, take_room(scratch, &used, 0));
    if (plan->is_first) {
        int64_t *sorted = (int64_t *)words, *number = (int64_t *)other;
        for (uint64_t i = 0; i < routing.pairs; i++)
            sorted[i] = routing.expert[routing.order[i]];
        const int status = number_rows(&routing, number);
        if (status != 0)
            return status;
        port_deliver(&plan->ports.at[SORTED], address, 0, routing.pairs, sorted);
    }
    place_pairs(&routing);
    write_rows(&routing);
    port_deliver(&plan->ports.at[MAP], address, 0, routing.pairs, routing.map);
    if (plan->counts != COUNTS_NONE)
        write_counts(&routing, COUNTS, plan->counts);
    if (has_port(&plan->ports, BEFORE))
        write_counts(&routing, BEFORE, COUNTS_EACH);
    return 0;
}
