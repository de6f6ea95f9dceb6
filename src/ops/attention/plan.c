/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The plan of an attention, and its run over tasks.
 */
#include <string.h>

#include "ops/attention/geometry.h"
#include "ops/attention/walk.h"
#include "runtime/workers.h"
#include "simd/level_table.h"

LEVEL_TABLE(const struct contraction_kernels, products_of, contraction_kernels);
LEVEL_TABLE(const struct attention_kernels, kernels_of, attention_kernels);
LEVEL_TABLE(draw_words_function, words_of, draw_words);

/* Less work than this for each thread is not worth cutting it for another. */
enum { COST_OF_THREAD_NS = 20000 };

/* Those that lie as query does, with its heads or the key's. */
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
            plan->tensor[operands[i].tensor] = attention_view_of(call, parameter, geometry, heads);
    }
    if (plan->rope_depth == 0)
        memset(&plan->tensor[D_QUERY_ROPE], 0, 2 * sizeof plan->tensor[0]);
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
        plan->tensor[D_PSE] = attention_view_of_scores(call, pse);
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
        plan->tensor[PSE] = attention_view_of_scores(call, pse);
    if (attention_was_given(call, pse) && plan->pse_kind > PSE_SCALED) {
        plan->tensor[PSE].head = plan->tensor[PSE].element;
        plan->tensor[PSE].batch = plan->tensor[PSE].row;
    }
    if (attention_was_given(call, mask) && (mode == 0 || mode == 1 || mode == 5))
        plan->tensor[MASK] = attention_view_of_scores(call, mask);
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
    plan->keep = attention_argument(call, KEEP_PROB)->fp64;
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

/* The longest sequence, and the tasks of all. */
static void set_tasks(const struct call *call, const struct attention_geometry *geometry,
                      struct attention *plan)
{
    struct attention_sequence all = {.rows = (uint64_t)geometry->rows, .keys = (uint64_t)geometry->keys};
    plan->rows = plan->is_packed ? 0 : all.rows;
    plan->keys = plan->is_packed ? 0 : all.keys;
    double scores = plan->is_packed ? 0
                                    : (double)plan->batches * (double)plan->heads * (double)plan->rows *
                                          (double)plan->keys;
    for (uint64_t b = 0; b < plan->sequence_count; b++) {
        const struct attention_sequence *sequence = &plan->sequence[b];
        plan->rows = sequence->rows > plan->rows ? sequence->rows : plan->rows;
        plan->keys = sequence->keys > plan->keys ? sequence->keys : plan->keys;
        if (plan->is_packed)
            scores += (double)plan->heads * (double)sequence->rows * (double)sequence->keys;
    }
    attention_bounds(call, 0, false, false, &all);
    plan->lower = all.lower;
    plan->upper = all.upper;
    plan->last = all.last;
    plan->is_bounded =
        plan->sequence_count > 0 || all.lower > -(INT64_C(1) << 59) || all.upper < INT64_C(1) << 59;
    plan->row_blocks = (plan->rows + ATTENTION_ROWS - 1) / ATTENTION_ROWS;
    plan->task_count =
        plan->batches * (plan->is_gradient ? plan->heads / plan->group : plan->heads * plan->row_blocks);
    /* Two products, five of the gradient; a vector of exponentials takes as long as eight of products. */
    const double lanes = plan->products->vector_lanes,
                 products = (double)(plan->depth + plan->rope_depth + plan->value_depth + 8) *
                            (plan->is_gradient ? 2.5 : 1);
    const double nanoseconds = scores * products / lanes / (lanes > 4 ? 4 : 0.1) + 1000;
    plan->cost_ns = nanoseconds < 1e18 ? (uint64_t)nanoseconds : UINT64_C(1000000000000000000);
    uint64_t most = call->settings->thread_count, worth = 1 + plan->cost_ns / COST_OF_THREAD_NS;
    most = most < worth ? most : worth;
    most = most < plan->task_count ? most : plan->task_count;
    plan->slots = plan->sums_count > 0 || most == 0 ? 1 : (uint32_t)most;
    const uint32_t block = attention_block_rows(plan->rows);
    /* Rows a power of two apart would push one another out of the cache. */
    plan->row_step = whole_vectors(plan, block);
    if (plan->row_step % 64 == 0)
        plan->row_step += plan->products->vector_lanes;
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
    plan->products = products_of[call->settings->isa];
    plan->kernels = kernels_of[call->settings->isa];
    plan->words = words_of[call->settings->isa];
    plan->is_gradient = form->is_gradient;
    plan->is_packed = geometry.layout == LAYOUT_TND;
    plan->sequence_count = sequences;
    attention_sequences(call, &geometry, plan->sequence);
    plan->batches = plan->is_packed ? sequences : (uint64_t)geometry.batches;
    plan->heads = (uint64_t)geometry.heads;
    plan->group = (uint64_t)(geometry.heads / geometry.key_heads);
    plan->depth = (uint32_t)geometry.depth;
    plan->rope_depth = (uint32_t)geometry.rope_depth;
    plan->value_depth = (uint32_t)geometry.value_depth;
    plan->scale = (float)attention_argument(call, SCALE_VALUE)->fp64;
    const char *statistics =
        form->statistics_layout == NOWHERE ? NULL : call->argument[form->statistics_layout].string;
    plan->has_rows_of_statistics = statistics != NULL && strcmp(statistics, "same_as_input") == 0;
    set_operands(call, &geometry, plan);
    set_statistics(call, plan);
    set_scores(call, plan);
    set_dropout(call, plan);
    set_totals(call, plan);
    set_tasks(call, &geometry, plan);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static bool is_written(const struct attention *plan, unsigned tensor)
{
    return tensor >= INPUTS_OF_GRADIENT || (!plan->is_gradient && tensor >= MAXIMUM);
}

/* Whether an input shares memory with what is written, and is copied first. */
static bool is_copied(const struct attention *plan, unsigned input, void *const *address)
{
    const struct operand *operand = &plan->tensor[input].operand;
    if (operand->bytes == 0 || is_written(plan, input) || operand->extent == 0)
        return false;
    for (unsigned output = MAXIMUM; output < ATTENTION_TENSORS; output++) {
        const struct operand *written = &plan->tensor[output].operand;
        if (written->bytes != 0 && is_written(plan, output) && operands_meet(operand, written, address))
            return true;
    }
    return false;
}

size_t attention_scratch_bytes(const void *plan_bytes, void *const *address)
{
    const struct attention *plan = (const struct attention *)plan_bytes;
    struct attention_room room;
    size_t bytes = plan->slots * attention_carve(plan, NULL, &room);
    bytes += whole_lines(plan->sums_count * sizeof(double));
    for (unsigned input = 0; input < INPUTS_OF_GRADIENT; input++)
        if (is_copied(plan, input, address))
            bytes += operand_copy_bytes(&plan->tensor[input].operand);
    return bytes;
}

/* Each index is a thread's memory, and whoever has it takes tasks until there are none. */
static void run_slots(void *context, uint64_t begin, uint64_t end)
{
    struct attention_run *run = (struct attention_run *)context;
    for (uint64_t slot = begin; slot < end; slot++) {
        struct attention_work work = {.run = run, .plan = run->plan};
        attention_carve(run->plan, run->scratch + slot * run->room_bytes, &work.room);
        for (;;) {
            const uint64_t task = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
            if (task >= run->plan->task_count)
                break;
            if (run->plan->is_gradient)
                attention_backward(&work, task);
            else
                attention_forward(&work, task);
        }
    }
}

int attention_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct attention *plan = (const struct attention *)plan_bytes;
    struct attention_room room;
    struct attention_run run = {.plan = plan, .scratch = scratch};
    run.room_bytes = attention_carve(plan, NULL, &room);
    unsigned char *rest = run.scratch + plan->slots * run.room_bytes;
    if (plan->sums_count > 0) {
        run.totals = (double *)(void *)rest;
        memset(run.totals, 0, plan->sums_count * sizeof(double));
        rest += whole_lines(plan->sums_count * sizeof(double));
    }
    for (unsigned i = 0; i < ATTENTION_TENSORS; i++)
        if (plan->tensor[i].operand.bytes != 0)
            run.at[i] = is_copied(plan, i, address) ? operand_copy(&plan->tensor[i].operand, address, &rest)
                                                    : address[plan->tensor[i].operand.address];
    workers_share(run_slots, &run, plan->slots, 1, plan->cost_ns);
    attention_finish_totals(&run);
    return 0;
}
