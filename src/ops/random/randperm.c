/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = the numbers from 0 to n - 1 in the order of the 64 bits that each of them draws; equal ones keep
 * theirs.
 */
#include "aclnnop/aclnn_randperm.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/random/source.h"
#include "ops/signature.h"
#include "ops/sorting/radix.h"
#include "tensor/dtype.h"

#define RANDPERM(X, of)             \
    X(of, INT64, n, .sample = "10") \
    SEED_NUMBERS(X, of)             \
    X(of, OUT, out, &dtypes_floats_integers)
SIGNATURE(RANDPERM)

/* What one number takes, roughly, to be drawn and sorted. */
enum { NUMBER_PS = 20000, PIECE = 1024, PIECES_AT_ONCE = 16 };

struct plan {
    struct random_source source;
    struct port out;
    uint64_t cost_ns;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const int64_t n = call->argument[RANDPERM_n].int64;
    if (n < 0 || n > UINT32_MAX)
        return refuse(call, "n is %" PRId64 "; 0 to 2^32 - 1 are expected", n);
    struct output *output = result_add(result, ACL_INT64, DTYPE_ANY);
    result->computed = ACL_INT64;
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = 1;
    output->shape.dim[0] = n;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct executor_content *content;
    void *made;
    (void)result;
    if (call->tensor[RANDPERM_out].count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct plan), &content, &made));
    struct plan *plan = (struct plan *)made;
    *plan = (struct plan){.source = random_source_of(call, RANDPERM_seed, NULL),
                          .out = port_of(call, RANDPERM_out, ACL_INT64),
                          .cost_ns = (uint64_t)call->tensor[RANDPERM_out].count * NUMBER_PS / 1000};
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

struct work {
    const struct plan *plan;
    uint64_t *drawn;
    const uint64_t *sorted; /* each number in the lower half of a word */
    void *const *address;
};

static void draw_piece(void *context, uint64_t first, uint64_t count)
{
    const struct work *work = (const struct work *)context;
    const struct draw draw = random_draw_of(&work->plan->source, NULL, NULL);
    uint32_t word[DRAW_ELEMENTS_MAX] __attribute__((uninitialized));
    for (uint64_t at = first; at < first + count; at += DRAW_ELEMENTS_MAX / 2) {
        work->plan->source.words(&draw, at / 2, word);
        for (uint64_t i = 0; i < DRAW_ELEMENTS_MAX / 2 && at + i < first + count; i++)
            work->drawn[at + i] = word[2 * i] | (uint64_t)word[2 * i + 1] << 32;
    }
}

static void write_piece(void *context, uint64_t at, uint64_t count)
{
    const struct work *work = (const struct work *)context;
    int64_t number[PIECE] __attribute__((uninitialized));
    for (uint64_t i = 0; i < count; i++)
        number[i] = (int64_t)(work->sorted[at + i] & UINT32_MAX);
    port_deliver(&work->plan->out, work->address, at, count, number);
}

/* The draws, two rows of words, and counts for as many blocks as there may be. */
static size_t work_bytes(const void *plan_memory)
{
    const struct plan *plan = (const struct plan *)plan_memory;
    return 3 * (size_t)plan->out.span.count * sizeof(uint64_t) +
           (size_t)RADIX_BLOCKS_MAX * RADIX_BUCKETS * sizeof(uint32_t);
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = (const struct plan *)plan_memory;
    struct work work = {.plan = plan, .drawn = (uint64_t *)scratch, .address = address};
    const uint64_t count = plan->out.span.count;
    pieces_run(draw_piece, &work, count, PIECE, PIECES_AT_ONCE, plan->cost_ns);
    struct radix radix = {.row = work.drawn,
                          .dtype = ACL_UINT64,
                          .words = work.drawn + count,
                          .other = work.drawn + 2 * count,
                          .counts = (uint32_t *)(void *)(work.drawn + 3 * count)};
    radix_divide(&radix, count, plan->cost_ns);
    radix_sort_row(&radix);
    work.sorted = radix.words;
    pieces_run(write_piece, &work, count, PIECE, PIECES_AT_ONCE, plan->cost_ns);
    return 0;
}

FUNCTION_OF(aclnnRandperm, RANDPERM, .stem = "randperm", .family = FAMILY_RANDOM, .promise = &promise_exact,
            .operation.work_bytes = work_bytes, .operation.run = run, .infer = infer, .plan = plan);
