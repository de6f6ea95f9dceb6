/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The plan of a sort along a dim, and its rows. Short rows are ranked on the stack, longer ones are shared out
 * to threads, each with memory of its own, and a long one is sorted by all threads.
 */
#include "ops/sorting/sorting.h"
#include "ops/element_bytes.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"

#include <string.h>

#include "ops/operands.h"
#include "ops/sorting/key.h"
#include "ops/sorting/radix.h"
#include "base/error.h"
#include "simd/vector/level_table.h"

LEVEL_TABLE(keys_function, keys_functions, keys);
LEVEL_TABLE(rank_rows_function, rank_rows_functions, rank_rows);

enum {
    LONG_ROW = 1 << 16,             /* elements that are worth the threads' meetings */
    MEMORY_BYTES = 64 << 20,        /* at most, for all threads, unless one needs more */
    COST_PS_PER_BYTE_OF_KEY = 2500, /* of an element: a pass over the row for each byte */
    RANKED_NS = 8,                  /* of an element of a row that is ranked */
    SHORT_ROW = 64,                 /* elements that are quicker to rank than to choose from */
    SHORT_ROWS = 1024,              /* elements of rows that are ranked one after the other, on the stack */
};

struct sorting {
    enum isa_level level;
    struct port self, values, indices; /* rows of self as it is, of values in its dtype, and INT64 */
    bool has_values, has_indices, is_descending;
    enum sorting_choice choice;
    uint64_t number;
    uint64_t rows, length, kept;
    uint64_t together; /* short rows that a task ranks; 0 where rows take memory */
    uint64_t cost_ns;
    struct task_memory memory; /* of threads; its place is known when the work runs */
};

/* The memory of a thread: the row, two times its words, counters. */
static size_t row_bytes(const struct sorting *plan)
{
    return whole_lines(plan->length * plan->self.span.bytes);
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

/* An operand's rows, along a dim. */
static struct port rows_of(const struct call *call, int parameter, uint32_t dim, aclDataType carried)
{
    if (parameter == SORTING_NONE)
        return (struct port){.dtype = ACL_DT_UNDEFINED};
    struct port port = port_of(call, (unsigned)parameter, carried);
    port.span = span_of(&call->tensor[parameter], dim);
    return port;
}

aclnnStatus sorting_plan(const struct call *call, const struct sorting_request *request)
{
    const struct tensor_view *self = &call->tensor[request->self];
    struct executor_content *content;
    void *made;
    const bool is_whole = request->dim == SORTING_WHOLE;
    const uint32_t out_dim = request->loses_dim ? SORTING_WHOLE : request->dim;
    if ((self->count == 0 && !is_whole) || request->kept == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct sorting), &content, &made));
    struct sorting *plan = made;
    *plan = (struct sorting){
        .self = rows_of(call, (int)request->self, request->dim, self->dtype),
        .values = rows_of(call, request->values, out_dim, self->dtype),
        .indices = rows_of(call, request->indices, out_dim, ACL_INT64),
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
    /* Rows are read before anything of them is written. */
    if (plan->has_values && views_agree(self, &call->tensor[request->values]))
        operands_may_be(content, plan->self.address, plan->values.address);
    plan->rows = is_whole ? 1 : (uint64_t)self->count / plan->length;
    plan->cost_ns =
        plan->length <= RANKED_MAX
            ? (uint64_t)self->count * RANKED_NS
            : (uint64_t)((double)self->count * (2 + plan->self.span.bytes) * COST_PS_PER_BYTE_OF_KEY / 1000);
    if (plan->length <= SHORT_ROW && plan->self.span.bytes <= 4)
        plan->together = SHORT_ROWS / (plan->length + (plan->length == 0));
    else
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
    void *const *address;
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
static void *target_of(const struct sorting_work *work, const struct port *port, uint64_t at, void *own)
{
    unsigned char *const direct = port_direct(port, work->address);
    return direct != NULL ? direct + at * port->span.bytes : own;
}

/* Which element in the order is chosen, of a row with so many NaNs. */
static uint64_t number_of(const struct sorting *plan, uint64_t nans)
{
    const uint64_t others = plan->length - nans;
    const bool is_nan = plan->choice == SORTING_MEDIAN ? nans > 0 : others == 0;
    return plan->choice == SORTING_NUMBER ? plan->number : is_nan ? others : (others - 1) / 2;
}

/* The places of what is kept become the first words. */
static void put_in_order(const struct sorting *plan, struct radix *radix)
{
    if (plan->choice == SORTING_FIRST) {
        if (radix_selects(radix, plan->kept))
            radix_select_row(radix, plan->kept);
        else
            radix_sort_row(radix);
        return;
    }
    radix_take(radix, number_of(plan, plan->choice == SORTING_NUMBER ? 0 : radix_count_nans(radix)));
}

/* Sorts a row in a thread's memory and writes what is kept of it. */
static void sort_row(void *context, uint64_t number, unsigned char *memory)
{
    const struct sorting_work *work = context;
    const struct sorting *plan = work->plan;
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
    port_bring(&plan->self, work->address, self_at, plan->length, row);
    put_in_order(plan, &radix);

    /* Values lie where the other words were, and indices take the place of the words. */
    struct sorted_row sorted = {.radix = &radix, .kept = plan->kept};
    if (plan->has_values)
        sorted.values = target_of(work, &plan->values, at, radix.other);
    if (plan->has_indices)
        sorted.indices = target_of(work, &plan->indices, at, radix.words);
    radix_for_blocks(&radix, finish_blocks, &sorted);
    if (sorted.values == (void *)radix.other)
        port_deliver(&plan->values, work->address, at, plan->kept, sorted.values);
    if (sorted.indices == (void *)radix.words)
        port_deliver(&plan->indices, work->address, at, plan->kept, sorted.indices);
}

/* What is kept of short rows: elements of one size, and their places. */
struct kept_of_rows {
    const unsigned char *element;
    const uint8_t *place; /* of the first one that is kept of the first row */
    uint64_t rows, length, kept;
    unsigned char *values;
};

static inline __attribute__((always_inline)) void keep(const void *work, size_t bytes)
{
    const struct kept_of_rows *of = (const struct kept_of_rows *)work;
    for (uint64_t row = 0; row < of->rows; row++)
        for (uint64_t i = 0; i < of->kept; i++)
            memcpy(of->values + (row * of->kept + i) * bytes,
                   of->element + (row * of->length + of->place[row * of->length + i]) * bytes, bytes);
}

/* Has the places of a row begin with that of the element which is chosen of it: NaNs are behind all others. */
static void choose_number(const struct sorting *plan, const struct order *order, const uint32_t *key,
                          uint8_t *place)
{
    uint64_t nans = 0;
    if (plan->choice != SORTING_NUMBER && order->kind == ORDER_FLOAT)
        while (nans < plan->length && key[place[plan->length - 1 - nans]] == order->mask)
            nans++;
    place[0] = place[number_of(plan, nans)];
}

/* Short rows need no memory of their own: their keys and places are on the stack. */
static void sort_short_rows(void *context, uint64_t task)
{
    const struct sorting_work *work = context;
    const struct sorting *plan = work->plan;
    const struct order order = order_of(plan->self.dtype, plan->is_descending);
    const uint64_t first = task * plan->together, length = plan->length, kept = plan->kept;
    const uint64_t rows = plan->rows - first < plan->together ? plan->rows - first : plan->together;
    const unsigned bytes = plan->self.span.bytes;
    unsigned char brought[SHORT_ROWS * 4] __attribute__((uninitialized)),
        values[SHORT_ROWS * 4] __attribute__((uninitialized));
    uint32_t key[SHORT_ROWS] __attribute__((uninitialized));
    int64_t indices[SHORT_ROWS] __attribute__((uninitialized));
    uint8_t place[SHORT_ROWS] __attribute__((uninitialized));
    const unsigned char *element = port_direct(&plan->self, work->address);
    if (element != NULL) {
        element += first * length * bytes;
    } else {
        port_bring(&plan->self, work->address, first * length, rows * length, brought);
        element = brought;
    }
    (void)keys_functions[plan->level](element, rows * length, &order, bytes, key);
    rank_rows_functions[plan->level](key, rows, length, place);
    if (plan->choice != SORTING_FIRST)
        for (uint64_t row = 0; row < rows; row++)
            choose_number(plan, &order, key + row * length, place + row * length);
    if (plan->has_values) { /* which may lie where the rows do */
        by_element_bytes(keep, &(const struct kept_of_rows){element, place, rows, length, kept, values},
                         bytes);
        port_deliver(&plan->values, work->address, first * kept, rows * kept, values);
    }
    if (plan->has_indices) {
        int64_t *const to = target_of(work, &plan->indices, first * kept, indices);
        for (uint64_t row = 0; row < rows; row++)
            for (uint64_t i = 0; i < kept; i++)
                to[row * kept + i] = place[row * length + i];
        if (to == indices)
            port_deliver(&plan->indices, work->address, first * kept, rows * kept, indices);
    }
}

int sorting_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct sorting *plan = (const struct sorting *)plan_bytes;
    struct sorting_work work = {.plan = plan, .address = address};
    if (plan->length == 0) {
        const double nan = __builtin_nan("");
        double converted;
        plan->values.transfer->convert(&nan, ACL_DOUBLE, &converted, plan->values.dtype, 1);
        memcpy(address[plan->values.address], &converted, plan->values.span.bytes);
        return 0;
    }
    if (plan->together > 0) {
        tasks_run(sort_short_rows, &work, (plan->rows - 1) / plan->together + 1, 4, plan->cost_ns);
        return 0;
    }
    const struct task_memory memory = {scratch, plan->memory.bytes, plan->memory.slots};
    tasks_run_in_memory(sort_row, &work, plan->rows, &memory, plan->cost_ns);
    return 0;
}
