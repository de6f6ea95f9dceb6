/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The plan of a sort along a dim, and its rows. Short rows are shared out to threads, each with memory of its
 * own; a long one is sorted by all threads.
 */
#include "ops/sorting/sorting.h"
#include "ops/element_bytes.h"
#include "ops/loops/tasks.h"

#include <string.h>

#include "ops/nest.h"
#include "ops/operands.h"
#include "ops/sorting/radix.h"
#include "base/error.h"

enum {
    LONG_ROW = 1 << 16,            /* elements that are worth the threads' meetings */
    MEMORY_BYTES = 64 << 20,       /* at most, for all threads, unless one needs more */
    COST_PS_PER_BYTE_OF_KEY = 2500 /* of an element: a pass over the row for each byte */
};

struct sorting {
    const struct transfer *transfer;
    enum isa_level level;
    struct operand self, values, indices;
    uint32_t self_rows, values_rows, indices_rows; /* the nests, behind the plan */
    bool has_values, has_indices, is_descending;
    enum sorting_choice choice;
    uint64_t number;
    uint64_t rows, length, kept;
    uint64_t cost_ns;
    struct task_memory memory; /* of threads; its place is known when the work runs */
};

/* The memory of a thread: the row, which takes the converted values later, two times its words, counters. */
static size_t row_bytes(const struct sorting *plan)
{
    uint32_t bytes = plan->self.bytes;
    if (plan->has_values && plan->values.bytes > bytes)
        bytes = plan->values.bytes;
    return whole_lines(plan->length * bytes);
}

static size_t counter_bytes(const struct sorting *plan)
{
    uint32_t blocks = plan->length >= LONG_ROW ? RADIX_BLOCKS_MAX : 1;
    return blocks * RADIX_BUCKETS * sizeof(uint32_t);
}

static void choose_memory(struct sorting *plan, uint32_t threads)
{
    struct task_memory *memory = &plan->memory;
    memory->bytes = row_bytes(plan) + 2 * whole_lines(plan->length * sizeof(uint64_t)) + counter_bytes(plan);
    memory->slots = plan->length >= LONG_ROW ? 1 : threads;
    if (memory->slots > MEMORY_BYTES / memory->bytes)
        memory->slots = MEMORY_BYTES / memory->bytes;
    if (memory->slots > plan->rows)
        memory->slots = plan->rows;
    memory->slots += memory->slots == 0;
}

/* A nest of the operand's rows behind the plan, unless there is no such operand. */
static uint32_t describe(const struct call *call, int parameter, uint32_t dim, struct operand *operand,
                         void *plan, size_t *bytes)
{
    struct nest rows;
    if (parameter == SORTING_NONE)
        return 0;
    *operand = operand_of(call, (unsigned)parameter);
    nest_of_rows(&rows, &call->tensor[parameter], dim);
    return nest_append(&rows, plan, bytes);
}

aclnnStatus sorting_plan(const struct call *call, const struct sorting_request *request)
{
    const struct tensor_view *self = &call->tensor[request->self];
    const size_t nest_most = offsetof(struct nest, axis) + self->rank * sizeof(struct nest_axis);
    size_t bytes = sizeof(struct sorting);
    struct executor_content *content;
    void *made;
    const bool is_whole = request->dim == SORTING_WHOLE;
    const uint32_t out_dim = request->loses_dim ? SORTING_WHOLE : request->dim;
    if ((self->count == 0 && !is_whole) || request->kept == 0)
        return call_idle(call);
    TRY(call_begin(call, bytes + 3 * nest_most, &content, &made));
    struct sorting *plan = made;
    *plan = (struct sorting){
        .transfer = transfer_of(call->settings->isa),
        .level = call->settings->isa,
        .has_values = request->values != SORTING_NONE,
        .has_indices = request->indices != SORTING_NONE,
        .is_descending = request->is_descending,
        .choice = request->choice,
        .number = request->number,
        .length = is_whole         ? (uint64_t)self->count
                  : self->rank > 0 ? (uint64_t)self->shape[request->dim]
                                   : 1,
        .kept = request->kept,
    };
    plan->self_rows = describe(call, (int)request->self, request->dim, &plan->self, plan, &bytes);
    plan->values_rows = describe(call, request->values, out_dim, &plan->values, plan, &bytes);
    plan->indices_rows = describe(call, request->indices, out_dim, &plan->indices, plan, &bytes);
    /* Rows are read before anything of them is written. */
    if (plan->has_values && views_agree(self, &call->tensor[request->values]))
        operands_may_be(content, plan->self.address, plan->values.address);
    plan->rows = is_whole ? 1 : (uint64_t)self->count / plan->length;
    plan->cost_ns = (uint64_t)((double)self->count * (2 + plan->self.bytes) * COST_PS_PER_BYTE_OF_KEY / 1000);
    choose_memory(plan, call->settings->thread_count);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

size_t sorting_work_bytes(const void *plan_bytes)
{
    const struct sorting *plan = (const struct sorting *)plan_bytes;
    return plan->memory.slots * plan->memory.bytes;
}

struct sorting_work {
    const struct sorting *plan;
    const unsigned char *self_first;
    void *values_first, *indices_first;
};

/* A row whose order is known. */
struct sorted_row {
    const struct radix *radix;
    void *values;     /* of self's dtype, or NULL */
    int64_t *indices; /* or NULL */
    uint64_t kept;
};

/* Elements from one place in the order to before another one. */
struct picked {
    const struct sorted_row *row;
    uint64_t begin, end;
};

static inline __attribute__((always_inline)) void pick(const void *work, size_t bytes)
{
    const struct picked *picked = (const struct picked *)work;
    const struct sorted_row *row = picked->row;
    for (uint64_t i = picked->begin; i < picked->end; i++) {
        uint64_t place = row->radix->words[i] & UINT32_MAX;
        memcpy((unsigned char *)row->values + i * bytes,
               (const unsigned char *)row->radix->row + place * bytes, bytes);
    }
}

static void finish_blocks(void *context, uint64_t first, uint64_t behind)
{
    const struct sorted_row *row = (const struct sorted_row *)context;
    uint64_t begin = first * row->radix->block_length, end = behind * row->radix->block_length;
    if (end > row->kept)
        end = row->kept;
    if (row->values != NULL)
        by_element_bytes(pick, &(const struct picked){row, begin, end}, dtype_bytes(row->radix->dtype));
    if (row->indices != NULL)
        for (uint64_t i = begin; i < end; i++)
            row->indices[i] = (int64_t)(row->radix->words[i] & UINT32_MAX);
}

/* Where what is kept of a row goes: its own place if that is linear, else memory from which it is taken. */
static void *target_of(const struct sorting *plan, const struct operand *operand, uint32_t rows, void *first,
                       uint64_t at, void *own)
{
    return nest_is_linear(nest_in(plan, rows), 0) ? (unsigned char *)first + at * operand->bytes : own;
}

static void deliver(const struct sorting *plan, const struct operand *operand, uint32_t rows, void *first,
                    uint64_t at, const void *from)
{
    const struct nest *nest = nest_in(plan, rows);
    nest_scatter(nest, 0, nest_place_at(nest, at), plan->transfer, first, operand->bytes, from,
                 (size_t)plan->kept);
}

/* The places of what is kept become the first words. */
static void put_in_order(const struct sorting *plan, struct radix *radix)
{
    uint64_t number = plan->number;
    if (plan->choice == SORTING_FIRST) {
        if (radix_selects(radix, plan->kept))
            radix_select_row(radix, plan->kept);
        else
            radix_sort_row(radix);
        return;
    }
    if (plan->choice != SORTING_NUMBER) {
        const uint64_t nans = radix_count_nans(radix), others = plan->length - nans;
        const bool is_nan = plan->choice == SORTING_MEDIAN ? nans > 0 : others == 0;
        number = is_nan ? others : (others - 1) / 2;
    }
    radix_take(radix, number);
}

/* Sorts a row in a thread's memory and writes what is kept of it. */
static void sort_row(void *context, uint64_t number, unsigned char *memory)
{
    const struct sorting_work *work = context;
    const struct sorting *plan = work->plan;
    const struct nest *self = nest_in(plan, plan->self_rows);
    const size_t words = whole_lines(plan->length * sizeof(uint64_t));
    const uint64_t at = number * plan->kept, self_at = number * plan->length;
    unsigned char *row = memory, *first_words = row + row_bytes(plan);
    struct radix radix = {
        .row = row,
        .dtype = plan->self.dtype,
        .level = plan->level,
        .is_descending = plan->is_descending,
        .words = (uint64_t *)(void *)first_words,
        .other = (uint64_t *)(void *)(first_words + words),
        .counts = (uint32_t *)(void *)(first_words + 2 * words),
    };
    radix_divide(&radix, plan->length, plan->length >= LONG_ROW ? plan->cost_ns : 0);
    nest_gather(self, 0, nest_place_at(self, self_at), plan->transfer, work->self_first, plan->self.bytes,
                row, (size_t)plan->length);
    put_in_order(plan, &radix);

    /* Values lie where the other words were, and indices take the place of the words. */
    const bool is_converted = plan->has_values && plan->values.dtype != plan->self.dtype;
    struct sorted_row sorted = {.radix = &radix, .kept = plan->kept};
    if (is_converted)
        sorted.values = radix.other;
    else if (plan->has_values)
        sorted.values =
            target_of(plan, &plan->values, plan->values_rows, work->values_first, at, radix.other);
    if (plan->has_indices)
        sorted.indices =
            target_of(plan, &plan->indices, plan->indices_rows, work->indices_first, at, radix.words);
    radix_for_blocks(&radix, finish_blocks, &sorted);
    if (is_converted)
        plan->transfer->convert(sorted.values, plan->self.dtype, row, plan->values.dtype, (size_t)plan->kept);
    if (sorted.values == (void *)radix.other)
        deliver(plan, &plan->values, plan->values_rows, work->values_first, at,
                is_converted ? row : sorted.values);
    if (sorted.indices == (void *)radix.words)
        deliver(plan, &plan->indices, plan->indices_rows, work->indices_first, at, sorted.indices);
}

int sorting_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct sorting *plan = (const struct sorting *)plan_bytes;
    struct sorting_work work = {
        .plan = plan,
        .self_first = address[plan->self.address],
        .values_first = plan->has_values ? address[plan->values.address] : NULL,
        .indices_first = plan->has_indices ? address[plan->indices.address] : NULL,
    };
    if (plan->length == 0) {
        const double nan = __builtin_nan("");
        double converted;
        plan->transfer->convert(&nan, ACL_DOUBLE, &converted, plan->values.dtype, 1);
        memcpy(work.values_first, &converted, plan->values.bytes);
        return 0;
    }
    const struct task_memory memory = {scratch, plan->memory.bytes, plan->memory.slots};
    tasks_run_in_memory(sort_row, &work, plan->rows, &memory, plan->cost_ns);
    return 0;
}
