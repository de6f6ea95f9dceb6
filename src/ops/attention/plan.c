/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The plan of an attention that is trained.
 */
#include <string.h>

#include "ops/attention/geometry.h"

/* Sets the operands that lie as query does, with its heads or the key's. */
static void set_operands(const struct call *call, const struct attention_geometry *geometry,
                         struct attention *plan)
{
    static const struct {
        uint8_t tensor;
        bool has_key_heads;
    } operands[] = {{QUERY, false},   {KEY, true},     {VALUE, true},         {QUERY_ROPE, false},
                    {KEY_ROPE, true}, {DY, false},     {OUT, false},          {D_QUERY, false},
                    {D_KEY, true},    {D_VALUE, true}, {D_QUERY_ROPE, false}, {D_KEY_ROPE, true}};
    for (unsigned i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        const unsigned parameter = attention_parameter(call, (enum attention_tensor)operands[i].tensor);
        const int64_t heads = operands[i].has_key_heads ? geometry->key_heads : geometry->heads;
        if (attention_was_given(call, parameter))
            plan->tensor[operands[i].tensor] = attention_view_in(
                &call->tensor[parameter], call->first_operand[parameter], geometry->layout, heads);
    }
    if (plan->rope_depth == 0)
        memset(&plan->tensor[D_QUERY_ROPE], 0, 2 * sizeof plan->tensor[0]);
    for (enum attention_tensor i = QUERY_BLOCKS; i <= DY_BLOCKS; i++) {
        const unsigned parameter = attention_parameter(call, i);
        if (!attention_was_given(call, parameter))
            continue;
        const struct tensor_view *view = &call->tensor[parameter];
        plan->tensor[i] = (struct attention_view){.operand = operand_of(call, parameter),
                                                  .batch = view->stride[0],
                                                  .head = view->stride[1],
                                                  .row = view->stride[2]};
    }
}

static void set_statistics(const struct call *call, struct attention *plan)
{
    for (unsigned tensor = MAXIMUM; tensor <= SUM; tensor++) {
        const unsigned parameter = attention_parameter(call, (enum attention_tensor)tensor);
        const struct tensor_view *view = &call->tensor[parameter];
        const int64_t *stride = view->stride;
        plan->tensor[tensor] = (struct attention_view){.operand = operand_of(call, parameter)};
        if (plan->is_packed) {
            plan->tensor[tensor].row = stride[0];
            plan->tensor[tensor].head = stride[1];
            plan->tensor[tensor].element = stride[2];
        } else {
            plan->tensor[tensor].batch = stride[0];
            plan->tensor[tensor].head = stride[1];
            plan->tensor[tensor].row = stride[2];
            plan->tensor[tensor].element = stride[3];
        }
    }
}

/* The gradient of pse is added up in doubles, as dense as its sizes say. */
static void set_totals(const struct call *call, struct attention *plan)
{
    const unsigned pse = attention_parameter(call, D_PSE), sink = attention_parameter(call, D_SINK);
    if (plan->is_gradient && attention_has(plan, PSE) && plan->pse_kind <= PSE_SCALED &&
        attention_was_given(call, pse)) {
        const struct tensor_view *view = &call->tensor[pse];
        plan->tensor[D_PSE] = attention_view_of_scores(&call->tensor[pse], call->first_operand[pse]);
        int64_t step = 1;
        for (uint32_t i = 4; i-- > 0;) {
            const uint32_t from_end = 3 - i;
            plan->pse_size[i] = from_end < view->rank ? (uint64_t)view->shape[view->rank - 1 - from_end] : 1;
            plan->pse_stride[i] = plan->pse_size[i] == 1 ? 0 : step;
            step *= (int64_t)plan->pse_size[i];
        }
        plan->pse_count = (uint64_t)step;
    }
    plan->sums_count = plan->pse_count;
    if (attention_has(plan, SINK) && attention_was_given(call, sink)) {
        plan->tensor[D_SINK] = (struct attention_view){.operand = operand_of(call, sink)};
        plan->tensor[D_SINK].head = call->tensor[sink].rank == 0 ? 0 : call->tensor[sink].stride[0];
        plan->sums_count += plan->heads;
    }
}

static void set_scores(const struct call *call, struct attention *plan)
{
    const struct attention_form *form = attention_form_of(call);
    const unsigned pse = attention_parameter(call, PSE), mask = attention_parameter(call, MASK),
                   sink = attention_parameter(call, SINK);
    const int64_t mode = attention_mode(call), *value;
    plan->pse_kind = form->pse_type == NOWHERE ? PSE_SCALED
                     : call->argument[form->pse_type].int64 == 0
                         ? PSE_ADDED
                         : (enum pse_kind)call->argument[form->pse_type].int64;
    if (attention_was_given(call, pse))
        plan->tensor[PSE] = attention_view_of_scores(&call->tensor[pse], call->first_operand[pse]);
    if (attention_was_given(call, pse) && plan->pse_kind > PSE_SCALED) {
        plan->tensor[PSE].head = plan->tensor[PSE].element;
        plan->tensor[PSE].batch = plan->tensor[PSE].row;
    }
    if (attention_was_given(call, mask) && (mode == 0 || mode == 1 || mode == 5))
        plan->tensor[MASK] = attention_view_of_scores(&call->tensor[mask], call->first_operand[mask]);
    if (attention_was_given(call, sink)) {
        plan->tensor[SINK] = (struct attention_view){.operand = operand_of(call, sink)};
        plan->tensor[SINK].head = call->tensor[sink].rank == 0 ? 0 : call->tensor[sink].stride[0];
    }
    if (attention_numbers(call, form->starts, &value) > 0)
        plan->row_start = value[0];
    if (form->starts != NOWHERE && attention_numbers(call, form->starts + 1U, &value) > 0)
        plan->key_start = value[0];
}

/* w + 1/2 < keep 2^32 for the word w of an element keeps it, as DropoutV3 has it with prob 1 - keep. */
static void set_dropout(const struct call *call, struct attention *plan)
{
    const struct attention_form *form = attention_form_of(call);
    const unsigned drop = attention_parameter(call, DROP);
    plan->keep = attention_keep(call);
    if (plan->keep < 1 && attention_was_given(call, drop)) {
        plan->has_dropout = true;
        plan->tensor[DROP] = (struct attention_view){.operand = operand_of(call, drop)};
        plan->tensor[DROP].element = call->tensor[drop].stride[0];
    } else if (plan->keep < 1 && form->seed != NOWHERE) {
        const double limit = (1 - plan->keep) * 0x1p32;
        plan->has_dropout = plan->draws_dropout = true;
        plan->seed = (uint64_t)call->argument[form->seed].int64;
        plan->offset = (uint64_t)call->argument[form->seed + 1U].int64;
        plan->kept_words = (UINT64_C(1) << 32) - (limit >= 0.5 ? (uint64_t)(limit - 0.5) + 1 : 0);
    } else {
        plan->keep = 1;
    }
}

aclnnStatus attention_plan(const struct call *call, const struct result *result)
{
    const struct attention_form *form = attention_form_of(call);
    struct attention_geometry geometry;
    struct executor_content *content;
    void *place;
    (void)result;
    TRY(attention_geometry_of(call, &geometry));
    const bool has_work = geometry.rows > 0 && geometry.batches > 0 &&
                          (form->is_gradient || geometry.value_depth > 0 || geometry.rows > 0);
    if (form->is_gradient ? geometry.batches == 0 || (geometry.rows == 0 && geometry.keys == 0) : !has_work)
        return call_idle(call);
    const uint64_t sequences = attention_sequences(call, &geometry, NULL);
    TRY(call_begin(call, sizeof(struct attention) + sequences * sizeof(struct attention_sequence), &content,
                   &place));
    struct attention *plan = place;
    memset(plan, 0, sizeof *plan);
    plan->is_gradient = form->is_gradient;
    plan->is_packed = geometry.layout == LAYOUT_TND;
    plan->sequence_count = sequences;
    attention_sequences(call, &geometry, plan->sequence);
    plan->batches = plan->is_packed ? sequences : (uint64_t)geometry.batches;
    plan->rows = (uint64_t)geometry.rows;
    plan->keys = (uint64_t)geometry.keys;
    plan->heads = (uint64_t)geometry.heads;
    plan->group = (uint64_t)(geometry.heads / geometry.key_heads);
    plan->depth = (uint32_t)geometry.depth;
    plan->rope_depth = (uint32_t)geometry.rope_depth;
    plan->value_depth = (uint32_t)geometry.value_depth;
    plan->repeats = (uint32_t)geometry.repeats;
    plan->scale = (float)attention_argument(call, SCALE_VALUE)->fp64;
    const char *statistics =
        form->statistics_layout == NOWHERE ? NULL : call->argument[form->statistics_layout].string;
    plan->has_rows_of_statistics = statistics != NULL && strcmp(statistics, "same_as_input") == 0;
    set_operands(call, &geometry, plan);
    set_statistics(call, plan);
    set_scores(call, plan);
    set_dropout(call, plan);
    set_totals(call, plan);
    struct attention_sequence all = {.rows = plan->rows, .keys = plan->keys};
    const struct attention_window window = attention_window_of(call);
    attention_bounds(&window, 0, false, false, &all);
    plan->lower = all.lower;
    plan->upper = all.upper;
    plan->last = all.last;
    attention_set_tasks(call, plan);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}
