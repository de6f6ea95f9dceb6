/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Walks along a map of tokens and experts: the slots of what goes there, and sums along slots.
 */
#include <inttypes.h>
#include <string.h>

#include "ops/experts/along_map.h"
#include "ops/experts/routing_map.h"
#include "runtime/streams/fault.h"

struct walk {
    const struct map_plan *plan;
    void *const *address;
    int8_t *map;     /* tokens * experts */
    int64_t *slot;   /* what sortedIndices holds */
    int64_t *token;  /* of each slot */
    int64_t *row;    /* of each slot; -1: none */
    int64_t *expert; /* of each slot; -1: none */
    int64_t *source; /* of each row that comes out, a token or -1 */
    double *prob;    /* of each slot */
    uint64_t *begin; /* of each row that sums go to, and one behind */
    struct term *term;
};

static uint64_t most_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* How many rows sums go to. */
static uint64_t sums_of(const struct map_plan *plan)
{
    return most_of(plan->tokens, plan->slots);
}

size_t map_work_bytes(const void *prepared)
{
    const struct map_plan *plan = prepared;
    const size_t slots = whole_lines((size_t)plan->slots * sizeof(int64_t));
    return whole_lines((size_t)(plan->tokens * plan->experts)) + 6 * slots +
           whole_lines((size_t)(sums_of(plan) + 1) * sizeof(uint64_t)) +
           whole_lines((size_t)plan->slots * sizeof(struct term)) +
           whole_lines((size_t)most_of(plan->tokens, plan->experts) * sizeof(int64_t));
}

static double prob_at(const struct walk *walk, uint64_t token, uint64_t expert)
{
    double prob = 1;
    if (has_port(&walk->plan->ports, PROBS))
        port_bring(&walk->plan->ports.at[PROBS], walk->address, token * walk->plan->experts + expert, 1,
                   &prob);
    return prob;
}

/* Slots of tokens: the true entries in the order of experts take rows. `count` has a number for each token. */
static int fill_by_token(struct walk *walk, int64_t *count)
{
    const struct map_plan *plan = walk->plan;
    int64_t row = 0;
    memset(count, 0, (size_t)plan->tokens * sizeof count[0]);
    for (uint64_t i = 0; i < plan->tokens * plan->experts; i++) {
        int64_t *own = &count[i / plan->experts];
        if (walk->map[i] != 0 && (uint64_t)++ * own > plan->each)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "routingMap sends token %" PRIu64 " to more than %" PRIu64
                                  " experts, which numOutTokens has room for",
                                  i / plan->experts, plan->each);
    }
    memset(count, 0, (size_t)plan->tokens * sizeof count[0]);
    for (uint64_t expert = 0; expert < plan->experts; expert++)
        for (uint64_t token = 0; token < plan->tokens; token++) {
            if (walk->map[token * plan->experts + expert] == 0)
                continue;
            walk->slot[token * plan->each + (uint64_t)count[token]++] = row;
            walk->source[row] = (int64_t)token;
            walk->prob[row++] = prob_at(walk, token, expert);
        }
    return 0;
}

/* Slots of experts: the tokens that go there, then the others, as far as there is room. */
static void fill_by_expert(struct walk *walk)
{
    const struct map_plan *plan = walk->plan;
    for (uint64_t expert = 0; expert < plan->experts; expert++) {
        uint64_t place = 0;
        for (int others = 0; others < 2; others++)
            for (uint64_t token = 0; token < plan->tokens && place < plan->each; token++)
                if ((walk->map[token * plan->experts + expert] == 0) == (others != 0)) {
                    const uint64_t row = expert * plan->each + place++;
                    walk->slot[row] = walk->source[row] = (int64_t)token;
                    walk->prob[row] = prob_at(walk, token, expert);
                }
    }
}

static int go_there(struct walk *walk, int64_t *count)
{
    const struct map_plan *plan = walk->plan;
    memset(walk->slot, 0xff, (size_t)plan->slots * sizeof walk->slot[0]);
    memset(walk->source, 0xff, (size_t)plan->slots * sizeof walk->source[0]);
    memset(walk->prob, 0, (size_t)plan->slots * sizeof walk->prob[0]);
    const int status = plan->is_padded ? 0 : fill_by_token(walk, count);
    if (status != 0)
        return status;
    if (plan->is_padded)
        fill_by_expert(walk);
    copy_rows(&(struct row_copies){.from = &plan->ports.at[ROWS],
                                   .to = &plan->ports.at[OUT_ROWS],
                                   .address = walk->address,
                                   .source = walk->source,
                                   .rows = plan->slots,
                                   .width = plan->width,
                                   .cost_ns = plan->cost_ns});
    port_deliver(&plan->ports.at[OUT_SLOTS], walk->address, 0, plan->slots, walk->slot);
    if (has_port(&plan->ports, OUT_PROBS))
        port_deliver(&plan->ports.at[OUT_PROBS], walk->address, 0, plan->slots, walk->prob);
    return 0;
}

static int check_index(const struct walk *walk, const char *what, int64_t index, uint64_t slot,
                       uint64_t below)
{
    if ((uint64_t)index < below || (index == -1 && !walk->plan->is_padded))
        return 0;
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                          "%s holds %" PRId64 " at %" PRIu64 "; 0 up to %" PRIu64 "%s is expected", what,
                          index, slot, below, walk->plan->is_padded ? "" : ", or -1,");
}

/* Of each slot the token, the row and the expert. The experts of a token's slots are those of its true entries. */
static int read_slots(struct walk *walk)
{
    const struct map_plan *plan = walk->plan;
    const bool is_grad = plan->mapping == BACK_GRAD, has_map = has_port(&plan->ports, MAP);
    port_bring(&plan->ports.at[SLOTS], walk->address, 0, plan->slots, walk->slot);
    if (is_grad && plan->is_padded)
        port_bring(&plan->ports.at[TOKENS], walk->address, 0, plan->slots, walk->token);
    for (uint64_t slot = 0; slot < plan->slots; slot++) {
        const int64_t index = walk->slot[slot];
        const bool names_token = plan->is_padded && !is_grad;
        int status = check_index(walk, is_grad ? "outIndex" : "sortedIndices", index, slot,
                                 names_token ? plan->tokens : plan->slots);
        walk->row[slot] = names_token ? (int64_t)slot : index;
        if (names_token)
            walk->token[slot] = index;
        else if (!plan->is_padded)
            walk->token[slot] = (int64_t)(slot / plan->each);
        else if (status == 0)
            status = check_index(walk, "permuteTokenId", walk->token[slot], slot, plan->tokens);
        if (status != 0)
            return status;
        walk->expert[slot] = plan->is_padded ? walk->row[slot] / (int64_t)plan->each : -1;
    }
    for (uint64_t token = 0; has_map && !plan->is_padded && token < plan->tokens; token++) {
        uint64_t found = 0;
        for (uint64_t expert = 0; expert < plan->experts && found < plan->each; expert++)
            if (walk->map[token * plan->experts + expert] != 0)
                walk->expert[token * plan->each + found++] = (int64_t)expert;
    }
    return 0;
}

/* The prob of each slot: 1 without any, 0 of one that has no expert. */
static void read_probs(struct walk *walk)
{
    const struct map_plan *plan = walk->plan;
    const bool has_probs = has_port(&plan->ports, PROBS) && plan->mapping != THERE_GRAD;
    for (uint64_t slot = 0; slot < plan->slots; slot++)
        walk->prob[slot] = !has_probs ? 1
                           : walk->expert[slot] < 0
                               ? 0
                               : prob_at(walk, (uint64_t)walk->token[slot], (uint64_t)walk->expert[slot]);
}

/* Sums of the rows of `from` into those of `to`, of which each slot names one; in the order of slots. */
static void sum_slots(struct walk *walk, const int64_t *from, const int64_t *to, uint64_t rows)
{
    const struct map_plan *plan = walk->plan;
    memset(walk->begin, 0, (size_t)(rows + 1) * sizeof walk->begin[0]);
    for (uint64_t slot = 0; slot < plan->slots; slot++)
        if (from[slot] >= 0 && to[slot] >= 0)
            walk->begin[to[slot] + 1]++;
    for (uint64_t row = 0; row < rows; row++)
        walk->begin[row + 1] += walk->begin[row];
    for (uint64_t slot = 0; slot < plan->slots; slot++)
        if (from[slot] >= 0 && to[slot] >= 0)
            walk->term[walk->begin[to[slot]]++] =
                (struct term){.weight = walk->prob[slot], .row = from[slot], .source = ROWS, .factor = -1};
    for (uint64_t row = rows; row > 0; row--) /* each is where the next one begins */
        walk->begin[row] = walk->begin[row - 1];
    walk->begin[0] = 0;
    sum_rows(&(struct row_sums){.source = plan->ports.at,
                                .to = &plan->ports.at[OUT_ROWS],
                                .address = walk->address,
                                .begin = walk->begin,
                                .term = walk->term,
                                .rows = rows,
                                .width = plan->width,
                                .cost_ns = plan->cost_ns});
}

static void clear_probs(const struct walk *walk)
{
    const double zero[EXPERTS_PIECE] = {0};
    const uint64_t all = walk->plan->tokens * walk->plan->experts;
    for (uint64_t at = 0; at < all; at += EXPERTS_PIECE)
        port_deliver(&walk->plan->ports.at[OUT_PROBS], walk->address, at,
                     all - at < EXPERTS_PIECE ? all - at : EXPERTS_PIECE, zero);
}

static void give_prob(const struct walk *walk, uint64_t token, uint64_t expert, double prob)
{
    port_deliver(&walk->plan->ports.at[OUT_PROBS], walk->address, token * walk->plan->experts + expert, 1,
                 &prob);
}

/* The gradient of what permuted probs. */
static void return_probs(const struct walk *walk)
{
    const struct map_plan *plan = walk->plan;
    uint64_t row = 0;
    double prob;
    clear_probs(walk);
    for (uint64_t slot = 0; plan->is_padded && slot < plan->slots; slot++) {
        port_bring(&plan->ports.at[PROBS], walk->address, slot, 1, &prob);
        give_prob(walk, (uint64_t)walk->token[slot], slot / plan->each, prob);
    }
    for (uint64_t expert = 0; !plan->is_padded && expert < plan->experts; expert++)
        for (uint64_t token = 0; token < plan->tokens && row < plan->slots; token++)
            if (walk->map[token * plan->experts + expert] != 0) {
                port_bring(&plan->ports.at[PROBS], walk->address, row++, 1, &prob);
                give_prob(walk, token, expert, prob);
            }
}

/* The gradient of the probs that rows were multiplied by. */
static void multiply_slots(const struct walk *walk)
{
    const struct map_plan *plan = walk->plan;
    clear_probs(walk);
    for (uint64_t slot = 0; slot < plan->slots; slot++)
        if (walk->row[slot] >= 0 && walk->expert[slot] >= 0)
            give_prob(walk, (uint64_t)walk->token[slot], (uint64_t)walk->expert[slot],
                      multiply_rows(&plan->ports.at[PERMUTED], (uint64_t)walk->row[slot],
                                    &plan->ports.at[ROWS], (uint64_t)walk->token[slot], walk->address,
                                    plan->width));
}

/* What else comes back: where each slot's token is, in the order of tokens where these are padded. */
static void tell_slots(struct walk *walk)
{
    const struct map_plan *plan = walk->plan;
    int64_t *place = walk->slot, *token = walk->token;
    if (has_port(&plan->ports, OUT_PROBS))
        port_deliver(&plan->ports.at[OUT_PROBS], walk->address, 0, plan->slots, walk->prob);
    if (plan->is_padded) { /* the terms of the sums stand in this order */
        token = walk->expert;
        for (uint64_t row = 0; row < plan->tokens; row++)
            for (uint64_t i = walk->begin[row]; i < walk->begin[row + 1]; i++) {
                place[i] = walk->term[i].row;
                token[i] = (int64_t)row;
            }
    }
    port_deliver(&plan->ports.at[OUT_SLOTS], walk->address, 0, plan->slots, place);
    port_deliver(&plan->ports.at[OUT_TOKENS], walk->address, 0, plan->slots, token);
}

int map_run(const void *prepared, void *const *address, void *scratch)
{
    const struct map_plan *plan = prepared;
    const size_t slots = (size_t)plan->slots * sizeof(int64_t);
    struct walk walk = {.plan = plan, .address = address};
    size_t used = 0;
    walk.map = take_room(scratch, &used, (size_t)(plan->tokens * plan->experts));
    walk.slot = take_room(scratch, &used, slots);
    walk.token = take_room(scratch, &used, slots);
    walk.row = take_room(scratch, &used, slots);
    walk.expert = take_room(scratch, &used, slots);
    walk.source = take_room(scratch, &used, slots);
    walk.prob = take_room(scratch, &used, slots);
    walk.begin = take_room(scratch, &used, (size_t)(sums_of(plan) + 1) * sizeof(uint64_t));
    walk.term = take_room(scratch, &used, (size_t)plan->slots * sizeof(struct term));
    if (has_port(&plan->ports, MAP))
        port_bring(&plan->ports.at[MAP], address, 0, plan->tokens * plan->experts, walk.map);
    if (plan->mapping == THERE)
        return go_there(&walk, take_room(scratch, &used, 0));
    const int status = read_slots(&walk);
    if (status != 0)
        return status;
    read_probs(&walk);
    const bool is_back_grad = plan->mapping == BACK_GRAD;
    sum_slots(&walk, is_back_grad ? walk.token : walk.row, is_back_grad ? walk.row : walk.token,
              is_back_grad ? plan->slots : plan->tokens);
    if (plan->mapping == BACK)
        tell_slots(&walk);
    else if (has_port(&plan->ports, OUT_PROBS))
        is_back_grad ? multiply_slots(&walk) : return_probs(&walk);
    return 0;
}
