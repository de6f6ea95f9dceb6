/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The plan of attention for inference.
 */
#include <string.h>

#include "ops/attention/inference.h"

/* Strides by batch, head, row and key: of rank 3 without heads, of rank 2 rows and keys, or batches and keys
 * of single rows. */
static struct attention_view mask_view(const struct call *call, const struct inference_request *request)
{
    const struct tensor_view *view = &call->tensor[P_MASK];
    struct attention_view result = attention_view_of_scores(view, call->first_operand[P_MASK]);
    if (view->rank == 3) {
        result.batch = result.head;
        result.head = 0;
    } else if (view->rank == 2 && request->geometry.rows == 1 && view->shape[0] != 1) {
        result.batch = result.row;
        result.row = 0;
    }
    return result;
}

static struct attention_window window_of(const struct call *call)
{
    const unsigned tokens = inference_places_of(call)->tokens;
    return (struct attention_window){
        .mode = inference_integer_at(call, inference_places_of(call)->mode, 0),
        .pre = inference_integer_at(call, tokens, INT64_MAX),
        .next = inference_integer_at(call, tokens == NOWHERE ? NOWHERE : tokens + 1U, INT64_MAX),
        .has_mask = attention_was_given(call, P_MASK)};
}

/* Sequences of rows one after the other, each with keys of its own in pages, and one for the rows behind. */
static uint64_t sequences_in_pages(const struct attention_window *window,
                                   const struct inference_request *request,
                                   struct attention_sequence *sequence)
{
    int64_t row = 0;
    for (uint64_t b = 0; sequence != NULL && b <= request->row_count; b++) {
        const bool is_apart = b == request->row_count;
        const int64_t end = is_apart ? request->geometry.rows : request->row_length[b];
        sequence[b] = (struct attention_sequence){.batch = is_apart ? 0 : b,
                                                  .row = (uint64_t)row,
                                                  .rows = (uint64_t)(end - row),
                                                  .keys = is_apart ? 0 : (uint64_t)request->key_length[b],
                                                  .room = (uint64_t)request->geometry.keys,
                                                  .is_apart = is_apart};
        attention_bounds(window, b, false, false, &sequence[b]);
        row = end;
    }
    return request->row_count + 1;
}

/* A sequence for each batch, and one for its rows that take no part; none where batches are whole. */
static uint64_t sequences(const struct call *call, const struct inference_request *request,
                          struct attention_sequence *sequence)
{
    const struct attention_window window = window_of(call);
    const struct attention_geometry *geometry = &request->geometry;
    if (attention_layout_is_packed(geometry->layout) && request->page > 0)
        return sequences_in_pages(&window, request, sequence);
    if (attention_layout_is_packed(geometry->layout)) {
        const struct attention_ends ends = {request->row_count, request->row_length, request->key_length};
        return attention_packed_sequences(&window, geometry, &ends, sequence);
    }
    if (request->row_count == 0 && request->key_count == 0 && request->members == 0 &&
        !attention_was_given(call, inference_places_of(call)->padding))
        return 0;
    for (uint64_t b = 0; sequence != NULL && b < (uint64_t)geometry->batches; b++) {
        const uint64_t room = (uint64_t)inference_room_of(call, request, b),
                       rows = (uint64_t)inference_rows_of(request, b);
        sequence[2 * b] = (struct attention_sequence){.batch = b, .member = b, .rows = rows, .room = room};
        sequence[2 * b].keys =
            (uint64_t)inference_length_of(request->key_length, request->key_count, b, (int64_t)room);
        attention_bounds(&window, b, false, false, &sequence[2 * b]);
        sequence[2 * b + 1] = (struct attention_sequence){
            .batch = b, .member = b, .row = rows, .rows = (uint64_t)geometry->rows - rows, .is_apart = true};
    }
    return 2 * (uint64_t)geometry->batches;
}

static void set_operands(const struct call *call, const struct inference_request *request,
                         struct attention *plan)
{
    const struct attention_inference *places = inference_places_of(call);
    const struct attention_geometry *geometry = &request->geometry;
    const struct {
        enum attention_tensor tensor;
        unsigned parameter;
        enum attention_layout layout;
        int64_t heads;
    } operands[] = {
        {QUERY, P_QUERY, geometry->layout, geometry->heads},
        {QUERY_ROPE, places->query_rope, geometry->layout, geometry->heads},
        {KEY_ROPE, places->key_rope, request->key_layout, geometry->key_heads},
        {OUT, places->out, request->out_layout, geometry->heads},
    };
    for (unsigned i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        const unsigned p = operands[i].parameter;
        if (attention_was_given(call, p))
            plan->tensor[operands[i].tensor] = attention_view_in(&call->tensor[p], call->first_operand[p],
                                                                 operands[i].layout, operands[i].heads);
    }
    struct attention_view *member = (struct attention_view *)(void *)(plan->sequence + plan->sequence_count);
    for (uint64_t i = 0; i < inference_key_count(call, P_KEY); i++)
        for (unsigned list = P_KEY; list <= P_VALUE; list++) {
            struct attention_view view =
                attention_view_in(inference_key_view(call, list, i), call->first_operand[list] + (uint32_t)i,
                                  request->key_layout, geometry->key_heads);
            if (plan->member_count == 0) {
                plan->tensor[list == P_KEY ? KEY : VALUE] = view;
                continue;
            }
            view.batch = 0;
            *member++ = view;
        }
}

static void set_scores(const struct call *call, const struct inference_request *request,
                       struct attention *plan)
{
    const struct attention_inference *places = inference_places_of(call);
    if (attention_was_given(call, P_PSE))
        plan->tensor[PSE] = attention_view_of_scores(&call->tensor[P_PSE], call->first_operand[P_PSE]);
    if (attention_was_given(call, P_MASK) && inference_integer_at(call, places->mode, 0) <= 1)
        plan->tensor[MASK] = mask_view(call, request);
    if (attention_was_given(call, places->pages))
        plan->tensor[PAGES] =
            attention_view_of_scores(&call->tensor[places->pages], call->first_operand[places->pages]);
    if (places->sink != 0 && attention_was_given(call, places->sink))
        plan->tensor[SINK] = (struct attention_view){
            .operand = operand_of(call, places->sink),
            .head = call->tensor[places->sink].rank == 0 ? 0 : call->tensor[places->sink].stride[0]};
    for (unsigned i = 0; inference_has_coded_keys(call) && i < INFERENCE_SCALES; i++)
        if (attention_was_given(call, places->scales + i))
            inference_scale_view(call, places->scales + i, request->geometry.key_heads,
                                 i < 2 ? request->geometry.depth : request->geometry.value_depth,
                                 &plan->tensor[KEY_SCALE + i]);
    if (attention_was_given(call, places->padding))
        plan->tensor[PADDING].operand = operand_of(call, places->padding);
    if (places->lse != NOWHERE && call->argument[places->wants_lse].boolean &&
        attention_was_given(call, places->lse)) {
        const struct tensor_view *view = &call->tensor[places->lse];
        const uint32_t rank = view->rank;
        plan->tensor[LSE] = (struct attention_view){.operand = operand_of(call, places->lse)};
        plan->tensor[LSE].row = view->stride[plan->is_packed ? 0 : 2];
        plan->tensor[LSE].head = view->stride[1];
        plan->tensor[LSE].batch = plan->is_packed ? 0 : view->stride[0];
        plan->tensor[LSE].element = view->stride[rank - 1];
    }
}

aclnnStatus attention_inference_plan(const struct call *call, const struct result *result)
{
    struct inference_request request;
    struct executor_content *content;
    void *place;
    (void)result;
    TRY(inference_read(call, &request));
    const struct attention_geometry *geometry = &request.geometry;
    if (geometry->rows == 0 || geometry->batches == 0)
        return call_idle(call);
    const uint64_t count = sequences(call, &request, NULL);
    TRY(call_begin(call,
                   sizeof(struct attention) + count * sizeof(struct attention_sequence) +
                       2 * request.members * sizeof(struct attention_view),
                   &content, &place));
    struct attention *plan = place;
    memset(plan, 0, sizeof *plan);
    plan->is_packed = attention_layout_is_packed(geometry->layout);
    plan->has_rows_of_statistics = true;
    plan->sequence_count = count;
    sequences(call, &request, plan->sequence);
    plan->member_count = request.members;
    plan->batches = count > 0 ? count : (uint64_t)geometry->batches;
    plan->rows = (uint64_t)geometry->rows;
    plan->keys = (uint64_t)geometry->keys;
    struct attention_sequence all = {.rows = plan->rows, .keys = plan->keys};
    const struct attention_window window = window_of(call);
    attention_bounds(&window, 0, false, false, &all);
    plan->lower = all.lower;
    plan->upper = all.upper;
    plan->last = all.last;
    plan->heads = (uint64_t)geometry->heads;
    plan->group = (uint64_t)(geometry->heads / geometry->key_heads);
    plan->depth = (uint32_t)geometry->depth;
    plan->rope_depth = (uint32_t)geometry->rope_depth;
    plan->value_depth = (uint32_t)geometry->value_depth;
    plan->scale = (float)call->argument[inference_places_of(call)->scale].fp64;
    plan->keep = 1;
    plan->pse_kind = PSE_ADDED;
    plan->page = (uint64_t)request.page;
    plan->page_count = (uint64_t)request.pages;
    set_operands(call, &request, plan);
    set_scores(call, &request, plan);
    attention_set_tasks(call, plan);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}
