/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens of a mixture of experts are sorted, summed and spread: rows in pieces, which threads share.
 */
#include "ops/index/moe_tokens.h"
#include "ops/loops/tasks.h"

#include <inttypes.h>
#include <string.h>

#include "ops/sorting/radix.h"
#include "runtime/streams/fault.h"

enum { PIECE = 512, ROWS_AT_ONCE = 16 };

/* Numbers in 64 bits, words and their copy, counts. */
size_t moe_work_bytes(const void *plan)
{
    return whole_lines(count_of(plan) * sizeof(int64_t)) * 3 +
           whole_lines((uint64_t)RADIX_BLOCKS_MAX * RADIX_BUCKETS * sizeof(uint32_t));
}

struct work {
    const struct tokens_plan *plan;
    void *const *address;
    int64_t *number; /* of experts, or places */
    uint64_t *words; /* in order; or of each row 1 + the number that it is the place of */
    uint64_t *other;
    uint32_t *counts;
};

static struct work begin_work(const struct tokens_plan *plan, void *const *address, void *scratch)
{
    struct work work = {.plan = plan, .address = address};
    unsigned char *room = scratch;
    const size_t bytes = whole_lines(count_of(plan) * sizeof(int64_t));
    work.number = (int64_t *)(void *)room;
    work.words = (uint64_t *)(void *)(room + bytes);
    work.other = (uint64_t *)(void *)(room + 2 * bytes);
    work.counts = (uint32_t *)(void *)(room + 3 * bytes);
    return work;
}

static void read_doubles(const struct work *work, enum part part, uint64_t at, uint64_t count, double *to)
{
    port_bring(&work->plan->port[part], work->address, at, count, to);
}

static void write_doubles(const struct work *work, enum part part, uint64_t at, uint64_t count,
                          const double *from)
{
    port_deliver(&work->plan->port[part], work->address, at, count, from);
}

static void read_numbers(const struct work *work)
{
    port_bring(&work->plan->port[NUMBERS], work->address, 0, count_of(work->plan), work->number);
}

/* Rows of tokens as they are. */
static void copy_row(void *context, uint64_t row)
{
    const struct work *work = context;
    const struct tokens_plan *plan = work->plan;
    float element[PIECE] __attribute__((uninitialized));
    const uint64_t token = (work->words[row] & UINT32_MAX) / plan->top_k;
    for (uint64_t at = 0; at < plan->width; at += PIECE) {
        const uint64_t count = plan->width - at < PIECE ? plan->width - at : PIECE;
        port_bring(&plan->port[ROWS], work->address, token * plan->width + at, count, element);
        port_deliver(&plan->port[OUT], work->address, row * plan->width + at, count, element);
    }
}

int moe_run_permute(const void *plan_memory, void *const *address, void *scratch)
{
    const struct tokens_plan *plan = plan_memory;
    struct work work = begin_work(plan, address, scratch);
    const uint64_t all = count_of(plan);
    read_numbers(&work);
    struct radix radix = {.row = work.number,
                          .dtype = ACL_INT64,
                          .words = work.words,
                          .other = work.other,
                          .counts = work.counts};
    radix_divide(&radix, all, plan->cost_ns);
    radix_sort_row(&radix);
    work.words = radix.words;
    for (uint64_t place = 0; place < all; place++)
        work.number[work.words[place] & UINT32_MAX] = (int64_t)place;
    tasks_run(copy_row, &work, plan->permuted, ROWS_AT_ONCE, plan->cost_ns);
    port_deliver(&plan->port[OTHER_OUT], address, 0, all, work.number);
    return 0;
}

/* The places of all numbers, each in [0, n); and of each row that is there which number has it, the last one
 * of several. */
static int read_places(struct work *work)
{
    const uint64_t all = count_of(work->plan);
    read_numbers(work);
    memset(work->words, 0, (size_t)all * sizeof work->words[0]);
    for (uint64_t i = 0; i < all; i++) {
        if ((uint64_t)work->number[i] >= all)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "sortedIndices holds %" PRId64 " at [%" PRIu64 "]; 0 to %" PRIu64
                                  " are expected",
                                  work->number[i], i, all - 1);
        work->words[work->number[i]] = i + 1;
    }
    return 0;
}

static double prob_of(const struct work *work, uint64_t number)
{
    double prob = 1;
    if (work->plan->is_there[PROBS])
        read_doubles(work, PROBS, number, 1, &prob);
    return prob;
}

/* The sums of each token's rows. */
static void sum_rows(void *context, uint64_t token)
{
    const struct work *work = context;
    const struct tokens_plan *plan = work->plan;
    double sum[PIECE] __attribute__((uninitialized)), row[PIECE] __attribute__((uninitialized));
    for (uint64_t at = 0; at < plan->width; at += PIECE) {
        const uint64_t count = plan->width - at < PIECE ? plan->width - at : PIECE;
        bool is_first = true;
        memset(sum, 0, sizeof sum);
        for (uint64_t i = token * plan->top_k; i < (token + 1) * plan->top_k; i++) {
            const uint64_t place = (uint64_t)work->number[i];
            if (place >= plan->permuted)
                continue;
            const double prob = prob_of(work, i);
            read_doubles(work, ROWS, place * plan->width + at, count, row);
            for (uint64_t h = 0; h < count; h++)
                sum[h] = is_first ? row[h] * prob : sum[h] + row[h] * prob;
            is_first = false;
        }
        write_doubles(work, OUT, token * plan->width + at, count, sum);
    }
}

int moe_run_unpermute(const void *plan_memory, void *const *address, void *scratch)
{
    struct work work = begin_work(plan_memory, address, scratch);
    const int status = read_places(&work);
    if (status == 0)
        tasks_run(sum_rows, &work, work.plan->tokens, ROWS_AT_ONCE, work.plan->cost_ns);
    return status;
}

/* What each row adds to its token's sum: the token's gradient times its prob. */
static void spread_row(void *context, uint64_t place)
{
    const struct work *work = context;
    const struct tokens_plan *plan = work->plan;
    double row[PIECE] __attribute__((uninitialized));
    const uint64_t number = place < count_of(plan) ? work->words[place] : 0;
    const double prob = number > 0 ? prob_of(work, number - 1) : 0;
    for (uint64_t at = 0; at < plan->width; at += PIECE) {
        const uint64_t count = plan->width - at < PIECE ? plan->width - at : PIECE;
        memset(row, 0, sizeof row);
        if (number > 0)
            read_doubles(work, MORE_ROWS, (number - 1) / plan->top_k * plan->width + at, count, row);
        for (uint64_t h = 0; number > 0 && h < count; h++)
            row[h] *= prob;
        write_doubles(work, OUT, place * plan->width + at, count, row);
    }
}

/* The gradients of probs: products of rows, in 8 sums side by side that are added in order. */
static void multiply_row(void *context, uint64_t i)
{
    enum { SIDE_BY_SIDE = 8 };
    const struct work *work = context;
    const struct tokens_plan *plan = work->plan;
    double row[PIECE] __attribute__((uninitialized)), grad[PIECE] __attribute__((uninitialized));
    const uint64_t place = (uint64_t)work->number[i];
    double sum[SIDE_BY_SIDE] = {0}, all = 0;
    for (uint64_t at = 0; place < plan->permuted && at < plan->width; at += PIECE) {
        const uint64_t count = plan->width - at < PIECE ? plan->width - at : PIECE;
        read_doubles(work, ROWS, place * plan->width + at, count, row);
        read_doubles(work, MORE_ROWS, i / plan->top_k * plan->width + at, count, grad);
        for (uint64_t h = 0; h < count; h++)
            sum[h % SIDE_BY_SIDE] += row[h] * grad[h];
    }
    for (int k = 0; k < SIDE_BY_SIDE; k++)
        all += sum[k];
    write_doubles(work, OTHER_OUT, i, 1, &all);
}

int moe_run_unpermute_grad(const void *plan_memory, void *const *address, void *scratch)
{
    struct work work = begin_work(plan_memory, address, scratch);
    const int status = read_places(&work);
    if (status != 0)
        return status;
    tasks_run(spread_row, &work, work.plan->permuted, ROWS_AT_ONCE, work.plan->cost_ns);
    if (work.plan->is_there[OTHER_OUT])
        tasks_run(multiply_row, &work, count_of(work.plan), ROWS_AT_ONCE, work.plan->cost_ns);
    return 0;
}
