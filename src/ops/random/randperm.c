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
#include "ops/random/source.h"
#include "ops/sorting/radix.h"
#include "runtime/streams/workers.h"
#include "tensor/dtype.h"

enum { N, SEED, OFFSET, OUT };

/* What one number takes, roughly, to be drawn and sorted. */
enum { NUMBER_PS = 20000, PIECE = 1024, PIECES_AT_ONCE = 16 };

struct plan {
    const struct transfer *transfer;
    struct random_source source;
    struct span out;
    uint32_t out_at;
    aclDataType dtype;
    uint64_t cost_ns;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const int64_t n = call->argument[N].int64;
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
    if (call->tensor[OUT].count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct plan), &content, &made));
    struct plan *plan = (struct plan *)made;
    *plan = (struct plan){.transfer = transfer_of(call->settings->isa),
                          .source = random_source_of(call, SEED, NULL),
                          .out = span_of(&call->tensor[OUT], SPAN_AS_IT_IS),
                          .out_at = call->first_operand[OUT],
                          .dtype = call->tensor[OUT].dtype,
                          .cost_ns = (uint64_t)call->tensor[OUT].count * NUMBER_PS / 1000};
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

struct work {
    const struct plan *plan;
    uint64_t *drawn;
    const uint64_t *sorted; /* each number in the lower half of a word */
    unsigned char *first;
};

static void draw_pieces(void *context, uint64_t begin, uint64_t end)
{
    const struct work *work = (const struct work *)context;
    const struct draw draw = random_draw_of(&work->plan->source, NULL, NULL);
    const uint64_t count = work->plan->out.count;
    uint32_t word[DRAW_ELEMENTS_MAX];
    for (uint64_t at = begin * PIECE; at < end * PIECE && at < count; at += DRAW_ELEMENTS_MAX / 2) {
        work->plan->source.words(&draw, at / 2, word);
        for (uint64_t i = 0; i < DRAW_ELEMENTS_MAX / 2 && at + i < count; i++)
            work->drawn[at + i] = word[2 * i] | (uint64_t)word[2 * i + 1] << 32;
    }
}

static void write_pieces(void *context, uint64_t begin, uint64_t end)
{
    const struct work *work = (const struct work *)context;
    const struct plan *plan = work->plan;
    const uint64_t all = plan->out.count;
    int64_t number[PIECE];
    _Alignas(64) unsigned char converted[PIECE * sizeof(double)];
    for (uint64_t at = begin * PIECE; at < end * PIECE && at < all; at += PIECE) {
        const uint64_t count = all - at < PIECE ? all - at : PIECE;
        for (uint64_t i = 0; i < count; i++)
            number[i] = (int64_t)(work->sorted[at + i] & UINT32_MAX);
        if (plan->dtype != ACL_INT64)
            plan->transfer->convert(number, ACL_INT64, converted, plan->dtype, (size_t)count);
        span_write(&plan->out, plan->transfer, work->first, at,
                   plan->dtype == ACL_INT64 ? (const void *)number : converted, count);
    }
}

/* The draws, two rows of words, and counts for as many blocks as there may be. */
static size_t work_bytes(const void *plan_memory)
{
    const struct plan *plan = (const struct plan *)plan_memory;
    return 3 * (size_t)plan->out.count * sizeof(uint64_t) +
           (size_t)RADIX_BLOCKS_MAX * RADIX_BUCKETS * sizeof(uint32_t);
}

static void for_pieces(const struct plan *plan, void (*body)(void *, uint64_t, uint64_t), struct work *work)
{
    const uint64_t pieces = (plan->out.count + PIECE - 1) / PIECE;
    if (workers_pay(plan->cost_ns))
        workers_run(body, work, pieces, PIECES_AT_ONCE);
    else
        body(work, 0, pieces);
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = (const struct plan *)plan_memory;
    struct work work = {
        .plan = plan, .drawn = (uint64_t *)scratch, .first = (unsigned char *)address[plan->out_at]};
    const uint64_t count = plan->out.count;
    for_pieces(plan, draw_pieces, &work);
    struct radix radix = {.row = work.drawn,
                          .dtype = ACL_UINT64,
                          .words = work.drawn + count,
                          .other = work.drawn + 2 * count,
                          .counts = (uint32_t *)(void *)(work.drawn + 3 * count)};
    radix_divide(&radix, count, workers_pay(plan->cost_ns));
    radix_sort_row(&radix);
    work.sorted = radix.words;
    for_pieces(plan, write_pieces, &work);
    return 0;
}

static const struct parameter parameters[] = {
    [N] = {.name = "n", .kind = PARAMETER_INT64, .sample = "10"},
    SEED_NUMBERS(SEED),
    [OUT] = WRITTEN("out", &dtypes_floats_integers),
};

FUNCTION(aclnnRandperm, (int64_t n, int64_t seed, int64_t offset, aclTensor *out),
         (ARG(n), ARG(seed), ARG(offset), ARG(out)), .stem = "randperm", PARAMETERS(parameters),
         .family = FAMILY_RANDOM, .promise = &promise_exact, .operation.work_bytes = work_bytes,
         .operation.run = run, .infer = infer, .plan = plan);
