/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out_i = (sum of |x|^p over x_i)^(1/p), in doubles, rounded once. p = 0 counts what is not 0, infinite p
 * gives the largest or smallest |x|; of an empty tensor every norm is 0.
 *
 * A block of elements is added in eight lanes, element k to lane k mod 8, and the lanes in pairs; the blocks
 * are added in their order. Where powers overflow or vanish they are taken again of x / m, with m the largest
 * |x|, or the smallest for a negative p: none is more than 1 then.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum norm_kind { NORM_COUNT, NORM_SUM, NORM_SQUARES, NORM_POWERS, NORM_MOST, NORM_LEAST };

struct norm_terms {
    enum norm_kind kind;
    bool is_divided;
    double p, divisor; /* of powers, and what every |x| is divided by */
};

struct norm_kernels {
    double (*block)(const double *x, size_t count, const struct norm_terms *terms);
    double (*root)(double sum, double p); /* sum^(1/p) of a positive finite sum */
};

#ifdef KERNEL_PASS

#include <math.h>

#include "ops/transfer.h"
#include "simd/maths_logarithm.h"

enum { WIDTH = 8, VECTORS = WIDTH / LANES };

/* e^t for a product t = ln x * p, or a quotient, that may be beyond the doubles. */
static inline doubles limited_power(struct pair t)
{
    const double end = 800;
    longs is_inside = absolute(t.high) < end;
    struct pair limited = {choose(is_inside, t.high, at_least(at_most(t.high, end), -end)),
                           choose(is_inside, t.low, broadcast(0))};
    struct power_of_e e = power_of_e(limited);
    return power_value(e.m, e.power);
}

/* ln x for positive finite x. */
static inline struct pair whole_logarithm(doubles x)
{
    struct logarithm l = logarithm_of(x);
    struct pair sum = two_sum(l.k * maths_ln2_part[0], l.m.high);
    return renormalize(sum.high, sum.low + (l.m.low + l.k * maths_ln2_part[1]));
}

/* x^p for x that is not negative and a p that is neither 0 nor infinite. */
static inline doubles power(doubles x, double p)
{
    const double infinity = (double)INFINITY;
    struct pair l = whole_logarithm(x), t = exact_product(l.high, broadcast(p));
    t.low += l.low * p;
    doubles value = limited_power(t);
    value = choose(x == 0, broadcast(p > 0 ? 0 : infinity), value);
    value = choose(x == infinity, broadcast(p > 0 ? infinity : 0), value);
    return choose(x >= 0, value, broadcast((double)NAN));
}

static inline __attribute__((always_inline)) doubles term(enum norm_kind kind, doubles x,
                                                          const struct norm_terms *terms)
{
    doubles size = absolute(x);
    if (terms->is_divided)
        size = size / terms->divisor;
    switch (kind) {
    case NORM_COUNT:
        return choose(x == 0, broadcast(0), broadcast(1));
    case NORM_SQUARES:
        return size * size;
    case NORM_POWERS:
        return power(size, terms->p);
    default:
        return size;
    }
}

/* NaN stays. */
static inline __attribute__((always_inline)) doubles combine(enum norm_kind kind, doubles a, doubles b)
{
    if (kind == NORM_MOST)
        return choose((a > b) | (a != a), a, b);
    if (kind == NORM_LEAST)
        return choose((a < b) | (a != a), a, b);
    return a + b;
}

static inline __attribute__((always_inline)) double add_block(enum norm_kind kind, const double *x,
                                                              size_t count, const struct norm_terms *terms)
{
    const double neutral = kind == NORM_LEAST ? (double)INFINITY : 0;
    doubles lane[VECTORS], next = {0};
    for (int v = 0; v < VECTORS; v++)
        lane[v] = broadcast(neutral);
    size_t i = 0;
    for (; i + WIDTH <= count; i += WIDTH)
        for (int v = 0; v < VECTORS; v++) {
            memcpy(&next, x + i + (size_t)v * LANES, sizeof next);
            lane[v] = combine(kind, lane[v], term(kind, next, terms));
        }
    double rest[WIDTH] = {0};
    memcpy(rest, x + i, (count - i) * sizeof rest[0]);
    for (int v = 0; v < VECTORS; v++) {
        memcpy(&next, rest + v * LANES, sizeof next);
        next = term(kind, next, terms);
        memcpy(rest + v * LANES, &next, sizeof next);
    }
    for (size_t k = count - i; k < WIDTH; k++)
        rest[k] = neutral;
    for (int v = 0; v < VECTORS; v++) {
        memcpy(&next, rest + v * LANES, sizeof next);
        lane[v] = combine(kind, lane[v], next);
    }
    memcpy(rest, lane, sizeof rest);
    for (int half = WIDTH / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            rest[k] = combine(kind, broadcast(rest[k]), broadcast(rest[k + half]))[0];
    return rest[0];
}

static double norm_block(const double *x, size_t count, const struct norm_terms *terms)
{
    switch (terms->kind) {
    case NORM_COUNT:
        return add_block(NORM_COUNT, x, count, terms);
    case NORM_SUM:
        return add_block(NORM_SUM, x, count, terms);
    case NORM_SQUARES:
        return add_block(NORM_SQUARES, x, count, terms);
    case NORM_POWERS:
        return add_block(NORM_POWERS, x, count, terms);
    case NORM_MOST:
        return add_block(NORM_MOST, x, count, terms);
    default:
        return add_block(NORM_LEAST, x, count, terms);
    }
}

static double norm_root(double sum, double p)
{
    const struct pair by = {broadcast(p), broadcast(0)};
    return limited_power(quotient_of_pairs(whole_logarithm(broadcast(sum)), by))[0];
}

extern const struct norm_kernels AT_LEVEL(norm_kernels);
const struct norm_kernels AT_LEVEL(norm_kernels) = {norm_block, norm_root};

#else

#include <inttypes.h>
#include <math.h>

#include "ops/blocks.h"
#include "ops/check_message.h"
#include "ops/foreach/foreach.h"
#include "ops/scalar.h"
#include "runtime/workers.h"

#include "aclnnop/aclnn_foreach_norm.h"

extern const struct norm_kernels norm_kernels_baseline;
#ifdef BELAY_LEVELS_ABOVE_BASELINE
extern const struct norm_kernels norm_kernels_avx2, norm_kernels_avx512;
#endif

static const struct norm_kernels *const kernels_of[ISA_LEVELS] = {
    [ISA_BASELINE] = &norm_kernels_baseline,
#ifdef BELAY_LEVELS_ABOVE_BASELINE
    [ISA_AVX2] = &norm_kernels_avx2,
    [ISA_AVX512] = &norm_kernels_avx512,
#endif
};

enum { X, P, OUT };

/* Sums of so many blocks need no scratch; a thread takes so many blocks at once. */
enum { FEW_BLOCKS = 64, BLOCKS_AT_ONCE = 32 };

/* Of one element on one thread, at a low guess; of powers a multiple. */
enum { ELEMENT_PS = 300, POWER_PS = 10000 };

struct norm_plan {
    const struct norm_kernels *kernels;
    struct norm_terms terms;
    aclDataType result;
    uint32_t address; /* of the result */
    bool is_empty;
    uint64_t cost_ns;
    struct blocks blocks; /* last; of what is not empty */
};

struct norm_job {
    const struct norm_plan *plan;
    struct norm_terms terms;
    const void *first;
    double *sum; /* of each block */
};

static void add_blocks(void *context, uint64_t begin, uint64_t end)
{
    const struct norm_job *job = context;
    const struct norm_plan *plan = job->plan;
    _Alignas(64) double x[BLOCK_ELEMENTS] __attribute__((uninitialized));
    for (uint64_t block = begin; block < end; block++) {
        block_read(&plan->blocks, 0, job->first, block, x);
        job->sum[block] = plan->kernels->block(x, block_elements(&plan->blocks, block), &job->terms);
    }
}

static double merge(enum norm_kind kind, double a, double b)
{
    if (kind == NORM_MOST)
        return a > b || isnan(a) ? a : b;
    if (kind == NORM_LEAST)
        return a < b || isnan(a) ? a : b;
    return a + b;
}

static double add_all(struct norm_job *job)
{
    const uint64_t count = blocks_count(&job->plan->blocks);
    if (count <= FEW_BLOCKS || !workers_pay(job->plan->cost_ns))
        add_blocks(job, 0, count);
    else
        workers_run(add_blocks, job, count, BLOCKS_AT_ONCE);
    double sum = job->sum[0];
    for (uint64_t block = 1; block < count; block++)
        sum = merge(job->terms.kind, sum, job->sum[block]);
    return sum;
}

static double root(const struct norm_job *job, double sum)
{
    if (job->terms.kind == NORM_SQUARES)
        return __builtin_sqrt(sum);
    if (job->terms.kind != NORM_POWERS || isnan(sum))
        return sum;
    if (sum == 0 || isinf(sum)) /* either to the power 1/p */
        return (sum == 0) == (job->terms.p > 0) ? 0 : (double)INFINITY;
    return job->plan->kernels->root(sum, job->terms.p);
}

static double norm_of(struct norm_job *job)
{
    const struct norm_terms asked = job->plan->terms;
    job->terms = asked;
    double sum = add_all(job);
    bool has_powers = asked.kind == NORM_SQUARES || asked.kind == NORM_POWERS;
    if (!has_powers || isnan(sum) || (sum >= 0x1p-900 && sum < (double)INFINITY))
        return root(job, sum);
    job->terms.kind = asked.p > 0 ? NORM_MOST : NORM_LEAST;
    const double most = add_all(job);
    if (most == 0 || isinf(most))
        return most;
    job->terms = asked;
    job->terms.is_divided = true;
    job->terms.divisor = most;
    return root(job, add_all(job)) * most;
}

static void run_tensor(const struct norm_plan *plan, void *const *address, void *scratch)
{
    double few[FEW_BLOCKS], norm = 0;
    if (!plan->is_empty) {
        struct norm_job job = {.plan = plan,
                               .first = address[plan->blocks.operand[0].address],
                               .sum = blocks_count(&plan->blocks) > FEW_BLOCKS ? scratch : few};
        norm = norm_of(&job);
        norm = isnan(norm) ? (double)NAN : norm;
    }
    void *out = address[plan->address];
    if (plan->result == ACL_DOUBLE)
        *(double *)out = isnan(norm) ? __builtin_nan("") : norm;
    else
        transfer_of(ISA_BASELINE)->convert(&norm, ACL_DOUBLE, out, plan->result, 1);
}

static int run(const void *plan, void *const *address, void *scratch)
{
    const struct plan_row *row = plan;
    for (uint64_t i = 0; i < row->count; i++)
        run_tensor(row_plan(row, i), address, scratch);
    return 0;
}

/* The result is written when all has been read: overlaps need none. */
static size_t scratch_bytes(const void *plan, void *const *address)
{
    (void)address;
    const struct plan_row *row = plan;
    uint64_t most = 0;
    for (uint64_t i = 0; i < row->count; i++) {
        const struct norm_plan *one = row_plan(row, i);
        uint64_t count = one->is_empty ? 0 : blocks_count(&one->blocks);
        most = count > most ? count : most;
    }
    return most > FEW_BLOCKS ? (size_t)most * sizeof(double) : 0;
}

/* One element for each tensor, in any float dtype. */
static aclnnStatus check_results(const struct call *call)
{
    const struct call_values *out = &call->values[OUT];
    if (out->count != call->values[X].count)
        return tell_list_count(call, OUT, X);
    const uint64_t floats = call->function->parameter[OUT].dtypes->on[call->settings->product];
    for (uint64_t i = 0; i < out->count; i++) {
        const struct tensor_view *view = &out->value.tensor[i];
        if (view->count != 1)
            return fail(ACLNN_ERR_PARAM_INVALID,
                        "%s: tensor %" PRIu64 " of out has %" PRId64 " elements; one is expected",
                        call->function->operation.name, i, view->count);
        if ((unsigned)view->dtype >= 64 || (floats >> view->dtype & 1) == 0)
            return tell_dtype(call, OUT, view->dtype);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_lists(call, 1, &result->computed));
    TRY(check_dtype(call, P));
    TRY(check_list_shapes(call, 1));
    struct output *output = result_add(result, ACL_DT_UNDEFINED, DTYPE_ANY);
    output->shape_rule = SHAPE_ONE; /* which of a list nobody but check_results judges */
    output->like = X;
    return call->has_outputs ? check_results(call) : ACLNN_SUCCESS;
}

static struct norm_terms terms_of(const struct call *call)
{
    const double p = scalar_to_fp64(&call->scalar[P]);
    enum norm_kind kind = p == 0                   ? NORM_COUNT
                          : p == 1                 ? NORM_SUM
                          : p == 2                 ? NORM_SQUARES
                          : p == (double)INFINITY  ? NORM_MOST
                          : p == -(double)INFINITY ? NORM_LEAST
                                                   : NORM_POWERS;
    return (struct norm_terms){.kind = kind, .p = p};
}

static void fill(const struct call *call, uint64_t index, struct norm_plan *plan)
{
    const struct tensor_view *x = &call->values[X].value.tensor[index];
    const uint32_t address = call->first_operand[X] + (uint32_t)index;
    plan->kernels = kernels_of[call->settings->isa];
    plan->terms = terms_of(call);
    plan->result = call->values[OUT].value.tensor[index].dtype;
    plan->address = call->first_operand[OUT] + (uint32_t)index;
    plan->is_empty = x->count == 0;
    plan->cost_ns = 0;
    if (plan->is_empty)
        return;
    blocks_fill(&plan->blocks, call->settings->isa, &x, &address, 1);
    uint64_t ps = plan->terms.kind == NORM_POWERS ? POWER_PS : ELEMENT_PS;
    plan->cost_ns = x->count < INT64_C(1) << 40 ? (uint64_t)x->count * ps / 1000 : UINT64_C(1) << 50;
}

static size_t fill_bytes(const struct tensor_view *x)
{
    return row_bytes(offsetof(struct norm_plan, blocks) + blocks_bytes(x->rank));
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    (void)result;
    const uint64_t count = call->values[X].count;
    size_t bytes = row_head_bytes(count);
    for (uint64_t i = 0; i < count; i++)
        bytes += fill_bytes(&call->values[X].value.tensor[i]);
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, bytes, &content, &made));
    struct plan_row *row = made;
    row->count = count;
    size_t offset = row_head_bytes(count);
    for (uint64_t i = 0; i < count; i++) {
        struct norm_plan *one = (void *)((unsigned char *)made + offset);
        fill(call, i, one);
        row->offset[i] = offset;
        offset += fill_bytes(&call->values[X].value.tensor[i]);
        content->cost_ns += one->cost_ns;
    }
    content->is_idle = count == 0;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static const struct parameter parameters[] = {
    [X] = READ("x", &dtypes_floats, .kind = PARAMETER_TENSOR_LIST, .sample = "1"),
    [P] = SCALAR("scalar", &dtypes_castable_to_fp32, .usual = "2"),
    [OUT] = WRITTEN("out", &dtypes_floats, .kind = PARAMETER_TENSOR_LIST),
};

FUNCTION(aclnnForeachNorm, (const aclTensorList *x, const aclScalar *scalar, aclTensorList *out),
         (ARG(x), ARG(scalar), ARG(out)), .stem = "foreach_norm", PARAMETERS(parameters),
         .promise = &promise_sum, .family = FAMILY_FOREACH, .operation.run = run,
         .operation.scratch_bytes = scratch_bytes, .infer = infer, .plan = plan);

#endif
