/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Indices drawn by the weights of each row. With replacement, sample s of row r is the first k at which the
 * sum of the weights up to it, in doubles in their order, is above u times the sum of all; u are the upper 53
 * bits of draw r numsamples + s. Without, the samples are the indices of the least -ln u / weight in their
 * order, u of draw r C + k; weight 0 comes behind all others, and equal ones keep their order.
 */
#include "aclnnop/aclnn_multinomial.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/random/source.h"
#include "ops/sorting/radix.h"
#include "runtime/streams/fault.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

#define MULTINOMIAL(X, of)                     \
    X(of, IN, self, &dtypes_floats)            \
    X(of, INT64, numsamples, .sample = "2")    \
    X(of, BOOL, replacement, .usual = "false") \
    SEED_NUMBERS(X, of)                        \
    X(of, OUT, out, &dtypes_int64)
SIGNATURE(MULTINOMIAL)
#define MULTINOMIAL_TENSOR(X, of)              \
    X(of, IN, self, &dtypes_floats)            \
    X(of, INT64, numsamples, .sample = "2")    \
    X(of, BOOL, replacement, .usual = "false") \
    SEED_TENSORS(X, of)                        \
    X(of, OUT, out, &dtypes_int64)
SIGNATURE(MULTINOMIAL_TENSOR)

enum { COLUMNS_MAX = 1 << 24, WEIGHT_PS = 3000, SORTED_WEIGHT_PS = 40000, SAMPLE_PS = 30000 };

struct plan {
    struct random_source source;
    struct port self, out; /* in doubles and INT64 */
    uint32_t seed_at, offset_at;
    bool replaces;
    uint64_t rows, columns, samples, cost_ns;
};

static unsigned output_of(const struct call *call)
{
    return call->function->parameter_count - 1;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[MULTINOMIAL_self];
    const int64_t samples = call->argument[MULTINOMIAL_numsamples].int64;
    TRY(check_dtype(call, MULTINOMIAL_self));
    TRY(random_check_source(call, MULTINOMIAL_seed));
    if (self->rank < 1 || self->rank > 2)
        return refuse(call, "self has %u dims; 1 or 2 are expected", self->rank);
    const int64_t columns = self->shape[self->rank - 1];
    if (columns < 1 || columns > COLUMNS_MAX)
        return refuse(call, "the rows of self have %" PRId64 " elements; 1 to 2^24 are expected", columns);
    if (samples < 1 || (!call->argument[MULTINOMIAL_replacement].boolean && samples > columns))
        return refuse(call,
                      "numsamples is %" PRId64
                      "; 1 or more is expected, without replacement as many as a row has elements at most",
                      samples);
    struct output *output = result_add(result, ACL_INT64, DTYPE_EQUAL);
    output->like = output_of(call);
    result->computed = ACL_INT64;
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = self->rank;
    output->shape.dim[0] = self->shape[0];
    output->shape.dim[self->rank - 1] = samples;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[MULTINOMIAL_self], *out = &call->tensor[output_of(call)];
    struct executor_content *content;
    void *made;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct plan), &content, &made));
    struct plan *plan = (struct plan *)made;
    *plan = (struct plan){
        .source = random_source_of(call, MULTINOMIAL_seed, NULL),
        .self = port_of(call, MULTINOMIAL_self, ACL_DOUBLE),
        .out = port_of(call, output_of(call), ACL_INT64),
        .replaces = call->argument[MULTINOMIAL_replacement].boolean,
        .rows = self->rank == 2 ? (uint64_t)self->shape[0] : 1,
        .columns = (uint64_t)self->shape[self->rank - 1],
        .samples = (uint64_t)call->argument[MULTINOMIAL_numsamples].int64,
    };
    if (plan->source.has_tensors) {
        plan->seed_at = call->first_operand[MULTINOMIAL_seed];
        plan->offset_at = call->first_operand[MULTINOMIAL_seed + 1];
    }
    plan->cost_ns = (plan->self.span.count * (plan->replaces ? WEIGHT_PS : SORTED_WEIGHT_PS) +
                     plan->out.span.count * (plan->replaces ? SAMPLE_PS : 1000)) /
                    1000;
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* All weights in doubles, then what each row needs, then the results. */
struct work {
    const struct plan *plan;
    struct draw draw;
    double *weight;
    uint64_t *words; /* without replacement: two rows for each row */
    uint32_t *counts;
    int64_t *samples;
};

static size_t count_bytes(const struct plan *plan)
{
    return plan->replaces ? 0 : (size_t)plan->rows * RADIX_BLOCKS_MAX * RADIX_BUCKETS * sizeof(uint32_t);
}

static size_t work_bytes(const void *plan_memory)
{
    const struct plan *plan = (const struct plan *)plan_memory;
    return (size_t)(plan->self.span.count * (plan->replaces ? 1 : 3) + plan->out.span.count) *
               sizeof(double) +
           count_bytes(plan);
}

/* Draw i of 64 bits. */
static uint64_t draw_long(const struct work *work, uint64_t i)
{
    uint32_t word[DRAW_ELEMENTS_MAX];
    const uint64_t once = DRAW_ELEMENTS_MAX / 2;
    work->plan->source.words(&work->draw, i / once * DRAW_BLOCKS, word);
    return word[i % once * 2] | (uint64_t)word[i % once * 2 + 1] << 32;
}

/* The first index at which the sums are above the value; the last weight that counts where rounding has
 * made the value as large as the sum of all. */
static int64_t find_above(const double *sum, uint64_t count, double value)
{
    uint64_t low = 0, high = count - 1;
    if (!(sum[high] > value)) {
        while (high > 0 && sum[high - 1] == sum[high])
            high--;
        return (int64_t)high;
    }
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (sum[middle] > value)
            high = middle;
        else
            low = middle + 1;
    }
    return (int64_t)low;
}

static void sample_with(void *context, uint64_t row)
{
    const struct work *work = context;
    const struct plan *plan = work->plan;
    double *sum = work->weight + row * plan->columns;
    for (uint64_t k = 1; k < plan->columns; k++)
        sum[k] += sum[k - 1];
    for (uint64_t s = 0; s < plan->samples; s++) {
        const uint64_t i = row * plan->samples + s;
        const double u = (double)(draw_long(work, i) >> 11) * 0x1p-53;
        work->samples[i] = find_above(sum, plan->columns, u * sum[plan->columns - 1]);
    }
}

static void sample_without(void *context, uint64_t row)
{
    const struct work *work = context;
    const struct plan *plan = work->plan;
    double *key = work->weight + row * plan->columns, drawn[DRAW_ELEMENTS_MAX];
    const uint64_t once = DRAW_ELEMENTS_MAX / 2;
    for (uint64_t k = 0; k < plan->columns; k++) {
        const uint64_t i = row * plan->columns + k;
        if (k == 0 || i % once == 0)
            plan->source.exponential(&work->draw, i / once * DRAW_BLOCKS, drawn);
        /* NaN is behind infinity, which a small weight may give */
        key[k] = key[k] == 0 ? (double)__builtin_nanf("") : drawn[i % once] / key[k];
    }
    struct radix radix = {.row = key,
                          .dtype = ACL_DOUBLE,
                          .words = work->words + 2 * row * plan->columns,
                          .counts = work->counts + row * RADIX_BLOCKS_MAX * RADIX_BUCKETS};
    radix.other = radix.words + plan->columns;
    radix_divide(&radix, plan->columns, 0);
    radix_sort_row(&radix);
    for (uint64_t s = 0; s < plan->samples; s++)
        work->samples[row * plan->samples + s] = (int64_t)(radix.words[s] & UINT32_MAX);
}

static int check_weights(const struct plan *plan, const double *weight)
{
    for (uint64_t row = 0; row < plan->rows; row++) {
        double sum = 0;
        for (uint64_t k = 0; k < plan->columns; k++) {
            const double value = weight[row * plan->columns + k];
            if (!(value >= 0 && value < (double)__builtin_inff()))
                return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                      "self holds %g in row %" PRIu64 ", column %" PRIu64
                                      "; finite weights of 0 or more are expected",
                                      value, row, k);
            sum += value;
        }
        if (!(sum > 0 && sum < (double)__builtin_inff()))
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "the weights in row %" PRIu64
                                  " of self add up to %g; a finite sum above 0 is expected",
                                  row, sum);
    }
    return 0;
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = (const struct plan *)plan_memory;
    struct work work = {.plan = plan, .weight = (double *)scratch};
    work.draw = random_draw_of(&plan->source, address[plan->seed_at], address[plan->offset_at]);
    work.samples = (int64_t *)(void *)(work.weight + plan->self.span.count);
    work.words = (uint64_t *)(void *)(work.samples + plan->out.span.count);
    work.counts = (uint32_t *)(void *)(work.words + 2 * plan->self.span.count);
    port_bring(&plan->self, address, 0, plan->self.span.count, work.weight);
    const int status = check_weights(plan, work.weight);
    if (status != 0)
        return status;
    tasks_run(plan->replaces ? sample_with : sample_without, &work, plan->rows, 1, plan->cost_ns);
    port_deliver(&plan->out, address, 0, plan->out.span.count, work.samples);
    return 0;
}

#define AS_MULTINOMIAL                                                                                       \
    .stem = "multinomial", .family = FAMILY_RANDOM, .promise = &promise_exact,                               \
    .operation.work_bytes = work_bytes, .operation.reads_first = true, .operation.run = run, .infer = infer, \
    .plan = plan

FUNCTION_OF(aclnnMultinomial, MULTINOMIAL, AS_MULTINOMIAL);
FUNCTION_OF(aclnnMultinomialTensor, MULTINOMIAL_TENSOR, AS_MULTINOMIAL);
