/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens and experts of several ranks.
 */
#include "ops/with_ranks/pairs.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "runtime/streams/fault.h"

static aclnnStatus check_experts(const struct call *call, const struct layout_of_experts *layout)
{
    const uint64_t others = layout->ranks - layout->shared_ranks;
    if (form_number(call, TP_WORLD, 0) > 1)
        return refuse(call, "tpWorldSize is %" PRId64 "; 0 or 1 is expected", form_number(call, TP_WORLD, 0));
    TRY(check_number(call, SHARD_TYPE, 0, 0));
    if (layout->shared_ranks > 0 && (layout->shared == 0 || layout->shared_ranks % layout->shared != 0))
        return refuse(call,
                      "sharedExpertNum is %" PRId64
                      "; a number that divides sharedExpertRankNum, %u, is expected",
                      form_number(call, SHARED, 0), (unsigned)layout->shared_ranks);
    if (layout->experts % others != 0)
        return refuse(call,
                      "moeExpertNum is %" PRIu64 "; a multiple of the ranks that have them, %" PRIu64
                      ", is expected",
                      layout->experts, others);
    return ACLNN_SUCCESS;
}

aclnnStatus read_layout(const struct call *call, unsigned ids, unsigned mask, struct met *met,
                        struct layout_of_experts *layout)
{
    const struct tensor_view *index = part_view(call, ids);
    TRY(find_group(call, GROUP_NAME, met));
    TRY(check_ranks(call, WORLD, met));
    if (form_number(call, OWN_RANK, 0) != (int64_t)met->place.rank)
        return refuse(call, "epRankId is %" PRId64 "; this rank's of %s, %u, is expected",
                      form_number(call, OWN_RANK, 0), met->name, (unsigned)met->place.rank);
    TRY(check_number(call, EXPERT_COUNT, 1, INT32_MAX));
    TRY(check_number(call, SHARED_RANKS, 0, (int64_t)met->place.rank_count - 1));
    TRY(check_number(call, SHARED, 0, INT32_MAX));
    TRY(check_number(call, GLOBAL_BATCH, 0, INT32_MAX));
    for (unsigned number = ZERO; number <= CONSTANT; number++)
        TRY(check_number(call, number, 0, INT32_MAX));
    TRY(check_dims(call, ids, 2, -1, -1));
    if (index->shape[0] > INT32_MAX || index->count > INT32_MAX)
        return refuse(call, "%s has shape %s; 2^31 - 1 tokens and elements at most are expected",
                      call_name(call, part_at(call, ids)), shape_text(TEXT, index));
    if (part_given(call, mask) && part_view(call, mask)->rank == 2)
        TRY(check_dims(call, mask, 2, index->shape[0], index->shape[1]));
    else
        TRY(check_dims(call, mask, 1, index->shape[0], 0));
    *layout = (struct layout_of_experts){
        .ranks = met->place.rank_count,
        .rank = met->place.rank,
        .shared_ranks = (uint32_t)form_number(call, SHARED_RANKS, 0),
        .tokens = (uint64_t)index->shape[0],
        .top_k = (uint64_t)index->shape[1],
        .experts = (uint64_t)form_number(call, EXPERT_COUNT, 0),
        .special = (uint64_t)(form_number(call, ZERO, 0) + form_number(call, COPY, 0) +
                              form_number(call, CONSTANT, 0)),
    };
    layout->shared = layout->shared_ranks > 0 ? (uint64_t)form_number(call, SHARED, 0) : 0;
    TRY(check_experts(call, layout));
    layout->each = layout->experts / (layout->ranks - layout->shared_ranks);
    return ACLNN_SUCCESS;
}

static uint64_t pairs_most(const struct layout_of_experts *layout)
{
    return layout->tokens * (layout->top_k + layout->shared);
}

size_t pairs_bytes(const struct layout_of_experts *layout)
{
    const uint64_t slots = layout->ranks * experts_most(layout);
    return lines_of(layout->tokens * layout->top_k, sizeof(int64_t)) + whole_lines(layout->tokens) +
           lines_of(pairs_most(layout), sizeof(int64_t)) + 2 * lines_of(slots, sizeof(int64_t)) +
           lines_of(pairs_most(layout), sizeof(struct pair));
}

/* Ids of what is masked out become -1. */
static int read_ids(const struct layout_of_experts *layout, const struct ports *ports, unsigned ids,
                    unsigned mask, void *const *address, struct pairs *pairs)
{
    const uint64_t all = layout->tokens * layout->top_k, most = layout->experts + layout->special;
    bool is_masked_by_pair = false;
    port_bring(&ports->at[ids], address, 0, all, pairs->id);
    memset(pairs->is_active, true, (size_t)layout->tokens);
    if (has_port(ports, mask)) {
        is_masked_by_pair = ports->at[mask].span.count != layout->tokens || layout->top_k == 1;
        if (!is_masked_by_pair)
            port_bring(&ports->at[mask], address, 0, layout->tokens, pairs->is_active);
        else
            memset(pairs->is_active, false, (size_t)layout->tokens);
    }
    for (uint64_t i = 0; i < all; i++) {
        bool counts = pairs->is_active[i / layout->top_k];
        if (is_masked_by_pair) {
            port_bring(&ports->at[mask], address, i, 1, &counts);
            pairs->is_active[i / layout->top_k] |= counts;
        }
        if (counts && (uint64_t)pairs->id[i] >= most)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "expertIds holds %" PRId64 " at [%" PRIu64 ", %" PRIu64
                                  "]; 0 up to the experts, "
                                  "%" PRIu64 ", is expected",
                                  pairs->id[i], i / layout->top_k, i % layout->top_k, most);
        pairs->id[i] = counts ? pairs->id[i] : -1;
    }
    return 0;
}

/* The rank and expert there of a choice; false where it goes nowhere. */
static bool goal_of(const struct layout_of_experts *layout, const struct pairs *pairs, uint64_t token,
                    uint64_t choice, uint32_t *rank, uint64_t *expert)
{
    if (choice >= layout->top_k) { /* this rank's tokens go to one of those that have the shared expert */
        const uint64_t places = layout->shared_ranks / layout->shared;
        *rank = (uint32_t)((choice - layout->top_k) * places + layout->rank % places);
        *expert = 0;
        return pairs->is_active[token];
    }
    const int64_t id = pairs->id[token * layout->top_k + choice];
    if (id < 0 || (uint64_t)id >= layout->experts)
        return false;
    *rank = layout->shared_ranks + (uint32_t)((uint64_t)id / layout->each);
    *expert = (uint64_t)id % layout->each;
    return true;
}

int find_pairs(const struct layout_of_experts *layout, const struct ports *ports, unsigned ids, unsigned mask,
               void *const *address, void *scratch, size_t *used, struct pairs *pairs)
{
    const uint64_t slots = layout->ranks * experts_most(layout), choices = layout->top_k + layout->shared;
    uint32_t rank;
    uint64_t expert;
    pairs->id = take_room(scratch, used, (size_t)(layout->tokens * layout->top_k) * sizeof(int64_t));
    pairs->is_active = take_room(scratch, used, (size_t)layout->tokens);
    pairs->row = take_room(scratch, used, (size_t)pairs_most(layout) * sizeof(int64_t));
    pairs->count = take_room(scratch, used, (size_t)slots * sizeof(int64_t));
    int64_t *next = take_room(scratch, used, (size_t)slots * sizeof(int64_t));
    pairs->pair = take_room(scratch, used, (size_t)pairs_most(layout) * sizeof(struct pair));
    const int status = read_ids(layout, ports, ids, mask, address, pairs);
    if (status != 0)
        return status;
    memset(pairs->count, 0, (size_t)slots * sizeof(int64_t));
    for (uint64_t i = 0; i < layout->tokens * choices; i++)
        if (goal_of(layout, pairs, i / choices, i % choices, &rank, &expert))
            pairs->count[rank * experts_most(layout) + expert]++;
    pairs->pairs = 0;
    for (uint64_t slot = 0; slot < slots; slot++) {
        next[slot] = (int64_t)pairs->pairs;
        pairs->pairs += (uint64_t)pairs->count[slot];
    }
    for (uint64_t i = 0; i < layout->tokens * choices; i++) {
        pairs->row[i] = -1;
        if (!goal_of(layout, pairs, i / choices, i % choices, &rank, &expert))
            continue;
        const int64_t own = next[rank * experts_most(layout) + expert]++;
        const uint64_t choice = i % choices;
        pairs->row[i] = own;
        pairs->pair[own] = (struct pair){
            (int64_t)(i / choices), (int64_t)choice,
            (int64_t)(choice >= layout->top_k
                          ? choice - layout->top_k
                          : layout->shared + (uint64_t)pairs->id[i / choices * layout->top_k + choice])};
    }
    return 0;
}
