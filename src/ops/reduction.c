/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 2 of a reduction: chunks add to sums of their own, those to one, and that becomes the result.
 */
#include "ops/reduction.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "ops/pointwise/elementwise_walk.h"
#include "runtime/workers.h"

/* As in elementwise_tiles.c: a row at least this long is not packed with others. */
enum { ROW_MIN = 256 };

struct reduction {
    const struct walk *walk;
    _Atomic int64_t bin[EXACT_SUM_BINS]; /* sums of carried bins: 2^31 chunks fit */
    _Atomic uint64_t counted;
    _Atomic bool is_infinite, is_nan;
};

static void add_chunk(struct reduction *reduction, struct exact_sum *sum)
{
    exact_sum_carry(sum);
    for (int k = 0; k < EXACT_SUM_BINS; k++)
        atomic_fetch_add_explicit(&reduction->bin[k], sum->bin[k], memory_order_relaxed);
    atomic_fetch_add_explicit(&reduction->counted, sum->counted, memory_order_relaxed);
    if (sum->is_infinite)
        atomic_store_explicit(&reduction->is_infinite, true, memory_order_relaxed);
    if (sum->is_nan)
        atomic_store_explicit(&reduction->is_nan, true, memory_order_relaxed);
}

static void reduce_rows(const struct walk *walk, uint64_t begin, uint64_t end, struct exact_sum *sum)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct axis *row = &plan->axis[plan->axis_count - 1];
    struct tiles tiles __attribute__((uninitialized));
    struct place place = place_at(plan, begin);
    size_t tile = tile_elements(plan);
    const void *source[INPUTS_MAX];
    while (begin < end) {
        size_t count = end - begin < tile ? (size_t)(end - begin) : tile;
        uint64_t left = (uint64_t)(row->size - place.index[plan->axis_count - 1]);
        if (row->size >= ROW_MIN && count > left)
            count = (size_t)left;
        for (uint32_t i = 0; i < plan->input_count; i++)
            source[i] = tile_fetch(walk, &tiles, i, &place, count, count <= left);
        plan->reduce(source, count, plan->parameters, sum);
        place_advance(plan, &place, (int64_t)count);
        begin += count;
    }
}

static bool is_direct(const struct elementwise_plan *plan)
{
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (!plan->operand[i].is_linear || plan->operand[i].dtype != plan->arithmetic)
            return false;
    return true;
}

static void reduce_elements(const struct walk *walk, uint64_t begin, uint64_t count, struct exact_sum *sum)
{
    const struct elementwise_plan *plan = walk->plan;
    const void *source[INPUTS_MAX];
    if (!is_direct(plan)) {
        reduce_rows(walk, begin, begin + count, sum);
        return;
    }
    for (uint32_t i = 0; i < plan->input_count; i++)
        source[i] = walk->first[i] + begin * plan->arithmetic_bytes;
    plan->reduce(source, (size_t)count, plan->parameters, sum);
}

static void reduce_chunks(void *context, uint64_t first, uint64_t last)
{
    struct reduction *reduction = context;
    const struct walk *walk = reduction->walk;
    uint64_t begin = first * walk->chunk, left = walk->plan->count - begin;
    struct exact_sum sum = {.added = 0};
    reduce_elements(walk, begin, left < (last - first) * walk->chunk ? left : (last - first) * walk->chunk,
                    &sum);
    add_chunk(reduction, &sum);
}

static struct exact_sum reduce_all(const struct elementwise_plan *plan, void *const *address)
{
    struct walk walk = {.plan = plan, .chunk = plan->chunk};
    for (uint32_t i = 0; i < plan->input_count; i++)
        walk.first[i] = (unsigned char *)address[plan->operand[i].address];
    struct exact_sum sum = {.added = 0};
    if (plan->count <= plan->chunk || !workers_pay(plan->cost_ns)) {
        reduce_elements(&walk, 0, plan->count, &sum);
        return sum;
    }
    struct reduction reduction = {.walk = &walk};
    workers_run(reduce_chunks, &reduction, (plan->count - 1) / plan->chunk + 1, plan->chunks_at_once);
    sum.counted = reduction.counted;
    sum.is_infinite = reduction.is_infinite;
    sum.is_nan = reduction.is_nan;
    for (int k = 0; k < EXACT_SUM_BINS; k++)
        sum.bin[k] = reduction.bin[k];
    return sum;
}

/* Rounds to the dtype of the arithmetic, then to that of the result. */
static void store_result(const struct elementwise_plan *plan, double value, void *target)
{
    const struct walk_operand *output = &plan->operand[OUTPUT];
    _Alignas(16) unsigned char rounded[16];
    plan->transfer->convert(&value, ACL_DOUBLE, rounded, plan->arithmetic, 1);
    if (output->dtype == plan->arithmetic)
        memcpy(target, rounded, plan->arithmetic_bytes);
    else
        plan->transfer->convert(rounded, plan->arithmetic, target, output->dtype, 1);
}

int reduction_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct elementwise_plan *plan = (const struct elementwise_plan *)plan_bytes;
    if (plan->reduce == NULL)
        return elementwise_run(plan_bytes, address, scratch);
    struct exact_sum sum = {.added = 0};
    if (plan->count > 0)
        sum = reduce_all(plan, address);
    double value = sum.is_nan        ? (double)NAN
                   : sum.is_infinite ? (double)INFINITY
                                     : plan->finish(&sum, plan->count, plan->parameters);
    store_result(plan, value, address[plan->operand[OUTPUT].address]);
    return 0;
}

/* The result is written when all has been read. */
size_t reduction_scratch_bytes(const void *plan_bytes, void *const *address)
{
    const struct elementwise_plan *plan = (const struct elementwise_plan *)plan_bytes;
    return plan->reduce == NULL ? elementwise_scratch_bytes(plan_bytes, address) : 0;
}

/* A finite double that is not 0, with an odd significand. */
struct odd {
    uint64_t significand;
    int exponent;
};

static struct odd odd_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct odd odd = {.significand = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52,
                      .exponent = (int)(bits >> 52 & 0x7ff) - 1075};
    int zeros = __builtin_ctzll(odd.significand);
    odd.significand >>= zeros;
    odd.exponent += zeros;
    return odd;
}

__extension__ typedef unsigned __int128 natural128;

static void subtract_multiple(struct exact_sum *sum, double value, uint64_t count)
{
    struct odd odd = odd_of(value);
    natural128 product = (natural128)odd.significand * count; /* 48 bits times 63 */
    exact_sum_add_scaled(sum, (uint64_t)product & 0xffffffff, odd.exponent, true);
    exact_sum_add_scaled(sum, (uint64_t)(product >> 32) & 0xffffffff, odd.exponent + 32, true);
    exact_sum_add_scaled(sum, (uint64_t)(product >> 64), odd.exponent + 64, true);
    exact_sum_carry(sum);
}

double exact_sum_quotient(const struct exact_sum *exact, double subtrahend, double divisor, uint64_t count)
{
    struct exact_sum sum = *exact;
    exact_sum_carry(&sum);
    if (subtrahend != 0 && sum.counted > 0)
        subtract_multiple(&sum, subtrahend, sum.counted);
    int top = EXACT_SUM_BINS - 1;
    while (top >= 0 && sum.bin[top] == 0)
        top--;
    if (top < 0)
        return 0;

    /* Long division by digits of 32 bits, from the highest on, until there are bits enough; behind the last
     * bin are zeros. The rest is less than the divisor, which has 24 bits and those of a count of elements.
     */
    const struct odd odd = odd_of(divisor);
    const natural128 by = (natural128)odd.significand * count;
    natural128 quotient = 0, rest = 0;
    int k = top + 1;
    while (quotient >> 54 == 0 && (k > 0 || rest != 0 || quotient == 0)) {
        k--;
        rest = rest << 32 | (k >= 0 ? (uint64_t)sum.bin[k] : 0);
        quotient = quotient << 32 | rest / by;
        rest %= by;
    }
    bool is_sticky = rest != 0;
    for (int i = 0; i < k; i++)
        is_sticky = is_sticky || sum.bin[i] != 0;
    /* 86 bits at most: to 53, the last one set if anything is lost. */
    int exponent = 32 * k + EXACT_SUM_LOWEST - odd.exponent;
    while (quotient >> 53 != 0) {
        is_sticky = is_sticky || (quotient & 1) != 0;
        quotient >>= 1;
        exponent++;
    }
    return ldexp((double)((uint64_t)quotient | is_sticky), exponent);
}
