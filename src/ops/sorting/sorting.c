/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The plan of a sort along a dim, and its rows. Short rows are shared out to threads in groups, each with
 * memory of its own; a long one is sorted by all threads.
 */
#include "ops/sorting/sorting.h"

#include <string.h>

#include "ops/sorting/radix.h"
#include "ops/span.h"
#include "runtime/error.h"
#include "runtime/workers.h"
#include "tensor/dtype.h"

enum {
    LONG_ROW = 1 << 16,            /* elements that are worth the threads' meetings */
    GROUPS_PER_THREAD = 4,         /* so that none waits long for the last */
    GROUPS_BYTES = 64 << 20,       /* at most, for all of them, unless one needs more */
    COST_PS_PER_BYTE_OF_KEY = 2500 /* of an element: a pass over the row for each byte */
};

struct sorting {
    const struct transfer *transfer;
    struct span self, values, indices;
    uint32_t self_at, values_at, indices_at; /* among the addresses */
    aclDataType dtype, values_dtype;
    bool has_values, has_indices, is_descending;
    uint64_t rows, length, kept;
    uint64_t cost_ns;
    uint32_t groups;
    size_t group_bytes;
};

static size_t rounded(uint64_t bytes)
{
    return (size_t)((bytes + 63) & ~UINT64_C(63));
}

/* The memory of a group: the row, which takes the converted values later, two times its words, counters. */
static size_t row_bytes(const struct sorting *plan)
{
    uint32_t bytes = plan->self.bytes;
    if (plan->has_values && plan->values.bytes > bytes)
        bytes = plan->values.bytes;
    return rounded(plan->length * bytes);
}

static size_t counter_bytes(const struct sorting *plan)
{
    uint32_t blocks = plan->length >= LONG_ROW ? RADIX_BLOCKS_MAX : 1;
    return blocks * RADIX_BUCKETS * sizeof(uint32_t);
}

static void choose_groups(struct sorting *plan, uint32_t threads)
{
    plan->group_bytes = row_bytes(plan) + 2 * rounded(plan->length * sizeof(uint64_t)) + counter_bytes(plan);
    uint64_t groups = plan->length >= LONG_ROW || threads == 1 ? 1 : (uint64_t)threads * GROUPS_PER_THREAD;
    if (groups > GROUPS_BYTES / plan->group_bytes)
        groups = GROUPS_BYTES / plan->group_bytes;
    if (groups > plan->rows)
        groups = plan->rows;
    plan->groups = groups > 0 ? (uint32_t)groups : 1;
}

static void describe_output(const struct call *call, int parameter, uint32_t dim, struct span *span,
                            uint32_t *address)
{
    if (parameter == SORTING_NONE)
        return;
    const struct tensor_view *view = &call->tensor[parameter];
    *span = span_of(view, view->rank > 0 ? dim : SPAN_AS_IT_IS);
    *address = call->first_operand[parameter];
}

aclnnStatus sorting_plan(const struct call *call, const struct sorting_request *request)
{
    const struct tensor_view *self = &call->tensor[request->self];
    struct executor_content *content;
    void *bytes;
    if (self->count == 0 || request->kept == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct sorting), &content, &bytes));
    struct sorting *plan = (struct sorting *)bytes;
    *plan = (struct sorting){
        .transfer = transfer_of(call->settings->isa),
        .self = span_of(self, self->rank > 0 ? request->dim : SPAN_AS_IT_IS),
        .self_at = call->first_operand[request->self],
        .dtype = self->dtype,
        .has_values = request->values != SORTING_NONE,
        .has_indices = request->indices != SORTING_NONE,
        .is_descending = request->is_descending,
        .length = self->rank > 0 ? (uint64_t)self->shape[request->dim] : 1,
        .kept = request->kept,
    };
    describe_output(call, request->values, request->dim, &plan->values, &plan->values_at);
    describe_output(call, request->indices, request->dim, &plan->indices, &plan->indices_at);
    if (plan->has_values)
        plan->values_dtype = call->tensor[request->values].dtype;
    plan->rows = (uint64_t)self->count / plan->length;
    plan->cost_ns = (uint64_t)((double)self->count * (2 + plan->self.bytes) * COST_PS_PER_BYTE_OF_KEY / 1000);
    choose_groups(plan, call->settings->thread_count);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* Rows are read before anything of them is written, so that values in self's own place need no copy. */
static bool needs_copy(const struct sorting *plan, void *const *address)
{
    const void *self = address[plan->self_at];
    if (plan->has_indices && spans_meet(&plan->self, self, &plan->indices, address[plan->indices_at]))
        return true;
    if (!plan->has_values)
        return false;
    const void *values = address[plan->values_at];
    bool is_in_place = plan->values_dtype == plan->dtype && plan->kept == plan->length &&
                       spans_agree(&plan->self, self, &plan->values, values);
    return !is_in_place && spans_meet(&plan->self, self, &plan->values, values);
}

size_t sorting_scratch_bytes(const void *plan_bytes, void *const *address)
{
    const struct sorting *plan = (const struct sorting *)plan_bytes;
    return plan->groups * plan->group_bytes +
           (needs_copy(plan, address) ? rounded(plan->self.count * plan->self.bytes) : 0);
}

struct sorting_work {
    const struct sorting *plan;
    const struct span *self; /* where it is read: the operand, or a copy */
    const void *self_first;
    void *values_first, *indices_first;
    unsigned char *scratch;
};

/* A row whose order is known. */
struct sorted_row {
    const struct radix *radix;
    void *values;     /* of self's dtype, or NULL */
    int64_t *indices; /* or NULL */
    uint64_t kept;
};

static inline void pick(const struct sorted_row *row, uint64_t begin, uint64_t end, uint32_t bytes)
{
    for (uint64_t i = begin; i < end; i++) {
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
        switch (dtype_bytes(row->radix->dtype)) {
        case 1:
            pick(row, begin, end, 1);
            break;
        case 2:
            pick(row, begin, end, 2);
            break;
        case 4:
            pick(row, begin, end, 4);
            break;
        default:
            pick(row, begin, end, 8);
            break;
        }
    if (row->indices != NULL)
        for (uint64_t i = begin; i < end; i++)
            row->indices[i] = (int64_t)(row->radix->words[i] & UINT32_MAX);
}

/* Sorts a row in the memory of a group and writes what is kept of it. */
static void sort_row(const struct sorting_work *work, uint64_t number, unsigned char *memory)
{
    const struct sorting *plan = work->plan;
    const size_t words = rounded(plan->length * sizeof(uint64_t));
    unsigned char *row = memory, *first_words = row + row_bytes(plan);
    struct radix radix = {
        .row = row,
        .dtype = plan->dtype,
        .is_descending = plan->is_descending,
        .words = (uint64_t *)(void *)first_words,
        .other = (uint64_t *)(void *)(first_words + words),
        .counts = (uint32_t *)(void *)(first_words + 2 * words),
    };
    radix_divide(&radix, plan->length, plan->length >= LONG_ROW);
    span_read(work->self, plan->transfer, work->self_first, number * plan->length, row, plan->length);
    radix_sort_row(&radix);

    /* What is contiguous is written in place; else values lie where the other words were, and indices take
     * the place of the words. */
    const uint64_t at = number * plan->kept;
    bool is_converted = plan->has_values && plan->values_dtype != plan->dtype;
    bool has_own_values = is_converted || (plan->has_values && !span_is_contiguous(&plan->values));
    bool has_own_indices = plan->has_indices && !span_is_contiguous(&plan->indices);
    struct sorted_row sorted = {.radix = &radix, .kept = plan->kept};
    if (plan->has_values)
        sorted.values = has_own_values ? (void *)radix.other
                                       : (unsigned char *)work->values_first + at * plan->values.bytes;
    if (plan->has_indices)
        sorted.indices =
            has_own_indices ? (int64_t *)(void *)radix.words : (int64_t *)work->indices_first + at;
    radix_for_blocks(&radix, finish_blocks, &sorted);
    if (is_converted)
        plan->transfer->convert(sorted.values, plan->dtype, row, plan->values_dtype, (size_t)plan->kept);
    if (has_own_values)
        span_write(&plan->values, plan->transfer, work->values_first, at, is_converted ? row : sorted.values,
                   plan->kept);
    if (has_own_indices)
        span_write(&plan->indices, plan->transfer, work->indices_first, at, sorted.indices, plan->kept);
}

static void sort_groups(void *context, uint64_t begin, uint64_t end)
{
    const struct sorting_work *work = (const struct sorting_work *)context;
    const struct sorting *plan = work->plan;
    for (uint64_t group = begin; group < end; group++) {
        uint64_t share = plan->rows / plan->groups, rest = plan->rows % plan->groups;
        uint64_t row = group * share + (group < rest ? group : rest);
        uint64_t behind = row + share + (group < rest);
        for (; row < behind; row++)
            sort_row(work, row, work->scratch + group * plan->group_bytes);
    }
}

int sorting_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct sorting *plan = (const struct sorting *)plan_bytes;
    const struct span copied = span_contiguous(plan->self.count, plan->self.bytes);
    struct sorting_work work = {
        .plan = plan,
        .self = &plan->self,
        .self_first = address[plan->self_at],
        .values_first = plan->has_values ? address[plan->values_at] : NULL,
        .indices_first = plan->has_indices ? address[plan->indices_at] : NULL,
        .scratch = (unsigned char *)scratch,
    };
    if (needs_copy(plan, address)) {
        unsigned char *copy = work.scratch + plan->groups * plan->group_bytes;
        span_read(&plan->self, plan->transfer, work.self_first, 0, copy, plan->self.count);
        work.self = &copied;
        work.self_first = copy;
    }
    if (plan->groups == 1 || !workers_pay(plan->cost_ns))
        sort_groups(&work, 0, plan->groups);
    else
        workers_run(sort_groups, &work, plan->groups, 1);
    return 0;
}
