/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention as tasks, and their run.
 */
#include <inttypes.h>
#include <string.h>

#include "ops/attention/geometry.h"
#include "ops/attention/walk.h"
#include "ops/loops/cost_of_thread.h"
#include "ops/loops/tasks.h"
#include "runtime/streams/fault.h"
#include "simd/vector/level_table.h"

LEVEL_TABLE(const struct contraction_kernels, products_of, contraction_kernels);
LEVEL_TABLE(const struct attention_kernels, kernels_of, attention_kernels);
LEVEL_TABLE(draw_words_function, words_of, draw_words);

/* Predicted on one thread. Two products, five of the gradient; a vector of exponentials takes as long as
 * eight of products. */
static uint64_t cost_ns(const struct attention *plan, double scores)
{
    const double lanes = plan->products->vector_lanes,
                 products = (double)(plan->depth + plan->rope_depth + plan->value_depth + 8) *
                            (plan->is_gradient ? 2.5 : 1);
    const double nanoseconds = scores * products / lanes / (lanes > 4 ? 4 : 0.1) + 1000;
    return nanoseconds < 1e18 ? (uint64_t)nanoseconds : UINT64_C(1000000000000000000);
}

/*
 * A row of each head, as decoding has: the heads that share a key become rows of one head, so that its keys
 * and values are read once for all of them. Not where a row's place among rows or heads is asked for.
 */
static void make_rows_of_heads(struct attention *plan)
{
    static const uint8_t by_head[] = {QUERY, QUERY_ROPE, PSE, MASK, MAXIMUM, SUM, OUT, LSE};
    if (plan->rows != 1 || plan->group == 1 || plan->group > ATTENTION_ROWS || plan->is_gradient ||
        plan->is_packed || plan->has_dropout || plan->pse_kind == PSE_SLOPES || plan->pse_kind == PSE_ROOTS ||
        attention_has(plan, SINK) || attention_has(plan, QUERY_BLOCKS) || attention_is_coded(plan, QUERY))
        return;
    for (uint64_t b = 0; b < plan->sequence_count; b++)
        if (plan->sequence[b].row != 0 || plan->sequence[b].is_apart)
            return;
    for (uint64_t b = 0; b < plan->sequence_count; b++)
        plan->sequence[b].rows *= plan->group;
    for (unsigned i = 0; i < sizeof by_head; i++) {
        struct attention_view *view = &plan->tensor[by_head[i]];
        view->row = view->head;
        view->head *= (int64_t)plan->group;
    }
    plan->rows = plan->group;
    plan->heads /= plan->group;
    plan->group = 1;
    plan->has_rows_of_heads = true;
}

void attention_set_tasks(const struct call *call, struct attention *plan)
{
    const bool has_sequences = plan->sequence_count > 0;
    const double heads = (double)plan->heads;
    double scores = has_sequences ? 0 : (double)plan->batches * (double)plan->rows * (double)plan->keys;
    plan->transfer = transfer_of(call->settings->isa);
    plan->products = products_of[call->settings->isa];
    plan->kernels = kernels_of[call->settings->isa];
    plan->words = words_of[call->settings->isa];
    plan->rows = has_sequences ? 0 : plan->rows;
    plan->keys = has_sequences ? 0 : plan->keys;
    for (uint64_t b = 0; b < plan->sequence_count; b++) {
        const struct attention_sequence *sequence = &plan->sequence[b];
        plan->rows = sequence->rows > plan->rows ? sequence->rows : plan->rows;
        plan->keys = sequence->keys > plan->keys ? sequence->keys : plan->keys;
        scores += (double)sequence->rows * (double)sequence->keys;
    }
    make_rows_of_heads(plan);
    plan->is_bounded = has_sequences || plan->lower > -(INT64_C(1) << 59) || plan->upper < INT64_C(1) << 59;
    plan->row_blocks = (plan->rows + ATTENTION_ROWS - 1) / ATTENTION_ROWS;
    plan->task_count =
        plan->batches * (plan->is_gradient ? plan->heads / plan->group : plan->heads * plan->row_blocks);
    /* Few rows take as long as a vector of them. */
    const uint32_t rows = plan->rows < ATTENTION_ROWS ? (uint32_t)plan->rows : ATTENTION_ROWS;
    const double lanes = rows == 0 ? 1 : (double)whole_vectors(plan, rows) / rows;
    plan->cost_ns = cost_ns(plan, scores * heads * lanes);
    const uint64_t worth = 1 + plan->cost_ns / COST_OF_THREAD_NS;
    uint64_t most = call->settings->thread_count;
    most = most < worth ? most : worth;
    most = most < plan->task_count ? most : plan->task_count;
    plan->slots = plan->sums_count > 0 || most == 0 ? 1 : (uint32_t)most;
    /* Rows a power of two apart would push one another out of the cache. */
    plan->row_step = whole_vectors(plan, rows);
    if (plan->row_step % 64 == 0)
        plan->row_step += plan->products->vector_lanes;
}

size_t attention_work_bytes(const void *plan_bytes)
{
    const struct attention *plan = (const struct attention *)plan_bytes;
    struct attention_room room;
    return plan->slots * attention_carve(plan, NULL, &room) + whole_lines(plan->sums_count * sizeof(double)) +
           whole_lines(2 * plan->member_count * sizeof(unsigned char *));
}

/* Every page that is needed is one of the memory. */
static int check_pages(const struct attention_run *run)
{
    const struct attention *plan = run->plan;
    for (uint64_t b = 0; plan->page > 0 && b < plan->sequence_count; b++) {
        const struct attention_sequence *sequence = &plan->sequence[b];
        for (uint64_t k = 0; k * plan->page < sequence->keys; k++) {
            const int32_t page = attention_page(run, sequence->batch, k);
            if (page < 0 || (uint64_t)page >= plan->page_count)
                return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                      "blockTable has %d for block %" PRIu64 " of batch %" PRIu64
                                      "; 0 to %" PRIu64 " are expected",
                                      page, k, sequence->batch, plan->page_count - 1);
        }
    }
    return 0;
}

static void run_task(void *context, uint64_t task, unsigned char *memory)
{
    struct attention_run *run = context;
    struct attention_work work = {.run = run, .plan = run->plan};
    attention_carve(run->plan, memory, &work.room);
    if (run->plan->is_gradient)
        attention_backward(&work, task);
    else
        attention_forward(&work, task);
}

int attention_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct attention *plan = (const struct attention *)plan_bytes;
    struct attention_room room;
    struct attention_run run = {.plan = plan};
    const struct task_memory memory = {scratch, attention_carve(plan, NULL, &room), plan->slots};
    unsigned char *rest = memory.first + plan->slots * memory.bytes;
    if (plan->sums_count > 0) {
        run.totals = (double *)(void *)rest;
        memset(run.totals, 0, plan->sums_count * sizeof(double));
        rest += whole_lines(plan->sums_count * sizeof(double));
    }
    run.member_at = (unsigned char **)(void *)rest;
    for (unsigned i = 0; i < ATTENTION_TENSORS; i++)
        if (plan->tensor[i].operand.bytes != 0)
            run.at[i] = address[plan->tensor[i].operand.address];
    for (uint64_t i = 0; i < 2 * plan->member_count; i++)
        run.member_at[i] = address[attention_member(plan, 0, KEY)[i].operand.address];
    const int status = check_pages(&run);
    if (status != 0)
        return status;
    tasks_run_in_memory(run_task, &run, plan->task_count, &memory, plan->cost_ns);
    attention_finish_totals(&run);
    return 0;
}
