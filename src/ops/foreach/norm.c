/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out_i = (sum of |x|^p over x_i)^(1/p), in doubles in the order of reductions, rounded once. p = 0 counts
 * what is not 0, infinite p gives the largest or smallest |x|; of an empty tensor every norm is 0.
 *
 * Where powers overflow or vanish they are taken again of x / m, with m the largest |x|, or the smallest for
 * a negative p: none is more than 1 then.
 */
#include <stddef.h>

#include "simd/vector/level_table.h"

enum norm_kind { NORM_COUNT, NORM_SUM, NORM_SQUARES, NORM_POWERS, NORM_MOST, NORM_LEAST, NORM_KINDS };

/* sum^(1/p) of a positive finite sum. */
typedef double norm_root_function(double sum, double p);

#ifdef KERNEL_PASS

#include "ops/transfer.h"
#include "simd/maths/norm_power.h"
#include "simd/loops/norm_steps.h"
#include "simd/loops/reduce.h"

/* The parameters are p and what every |x| is divided by. */
static inline longs add_powers(longs state, const longs *input, const void *parameters)
{
    const double *number = parameters;
    const doubles size = absolute((doubles)input[0]) / number[1];
    return (longs)((doubles)state + (number[0] == 2 ? size * size : norm_power(size, number[0])));
}

#define NORM(stem, kind, step, merge, first)                                \
    static const struct reduce_steps kind##_steps = {step, merge, 1, NULL}; \
    REDUCE_LOOPS(kind, ARITHMETIC_FP64, 1, kind##_steps)                    \
    REDUCE_KERNELS(stem) = {.of = {[ARITHMETIC_FP64] = REDUCE_KERNEL(kind, 1, first)}};

NORM(norm_count, count, count_not_0, merge_sums, 0)
NORM(norm_sum, sum, add_sizes, merge_sums, 0)
NORM(norm_squares, squares, add_squares, merge_sums, 0)
NORM(norm_powers, powers, add_powers, merge_sums, 0)
NORM(norm_most, most, take_most, merge_most, 0)
NORM(norm_least, least, take_least, merge_least, INFINITY_BITS)

norm_root_function AT_LEVEL(norm_root);
double AT_LEVEL(norm_root)(double sum, double p)
{
    return norm_root_of(sum, p);
}

#else

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "aclnnop/aclnn_foreach_norm.h"
#include "ops/check_message.h"
#include "ops/foreach/foreach.h"
#include "ops/canonical.h"
#include "ops/loops/reduce_plan.h"
#include "ops/scalar.h"
#include "ops/signature.h"

LEVEL_TABLE(norm_root_function, norm_roots, norm_root);
REDUCE_LEVELS(norm_count);
REDUCE_LEVELS(norm_sum);
REDUCE_LEVELS(norm_squares);
REDUCE_LEVELS(norm_powers);
REDUCE_LEVELS(norm_most);
REDUCE_LEVELS(norm_least);

/* What every element takes is guessed low; of powers it is a multiple. */
static const struct reduction reductions[NORM_KINDS] = {
    [NORM_COUNT] = {norm_count_reduce_kernels, .element_ps = 100},
    [NORM_SUM] = {norm_sum_reduce_kernels, .element_ps = 100},
    [NORM_SQUARES] = {norm_squares_reduce_kernels, .element_ps = 100},
    [NORM_POWERS] = {norm_powers_reduce_kernels, .element_ps = 2500},
    [NORM_MOST] = {norm_most_reduce_kernels, .element_ps = 100},
    [NORM_LEAST] = {norm_least_reduce_kernels, .element_ps = 100},
};

#define NORM(X, of)                                    \
    X(of, IN_LIST, x, &dtypes_floats, .sample = "1")   \
    X(of, SCALAR, scalar, &dtypes_reals, .usual = "2") \
    X(of, OUT_LIST, out, &dtypes_floats)
SIGNATURE(NORM)

struct norm_plan {
    enum isa_level level;
    enum norm_kind kind;
    double p;
    struct operand x, out;
    struct reduce_plan sum; /* last; of addresses of its own: x and a double */
};

/* The sum of terms of a kind, for which x is divided by this. */
static double add_all(const struct norm_plan *plan, enum norm_kind kind, double divisor, void *x,
                      void *scratch)
{
    const double parameters[] = {plan->p, divisor};
    double sum;
    struct reduce_plan reduce __attribute__((uninitialized));
    memcpy(&reduce, &plan->sum, plan->sum.plan_bytes);
    memcpy(reduce.parameters, parameters, sizeof parameters);
    reduce.reduction = &reductions[kind];
    reduce.kernel = &reduce.reduction->kernels[plan->level]->of[ARITHMETIC_FP64];
    (void)reduce_run(&reduce, (void *const[]){x, &sum}, scratch);
    return sum;
}

static double root(const struct norm_plan *plan, double sum)
{
    if (plan->kind == NORM_SQUARES)
        return __builtin_sqrt(sum);
    if (plan->kind != NORM_POWERS || isnan(sum))
        return sum;
    if (sum == 0 || isinf(sum)) /* either to the power 1/p */
        return (sum == 0) == (plan->p > 0) ? 0 : (double)INFINITY;
    return norm_roots[plan->level](sum, plan->p);
}

static double norm_of(const struct norm_plan *plan, void *x, void *scratch)
{
    const bool has_powers = plan->kind == NORM_SQUARES || plan->kind == NORM_POWERS;
    const double sum = add_all(plan, plan->kind, 1, x, scratch);
    if (!has_powers || isnan(sum) || (sum >= 0x1p-900 && sum < (double)INFINITY))
        return root(plan, sum);
    const double most = add_all(plan, plan->p > 0 ? NORM_MOST : NORM_LEAST, 1, x, scratch);
    if (most == 0 || isinf(most))
        return most;
    return root(plan, add_all(plan, NORM_POWERS, most, x, scratch)) * most;
}

static int run_index(const void *row, uint64_t index, void *const *address, void *scratch)
{
    const struct norm_plan *one = row_plan(row, index);
    double norm = one->x.extent > 0 ? norm_of(one, address[one->x.address], scratch) : 0;
    void *out = address[one->out.address];
    canonical_nans(&norm, 1);
    if (one->out.dtype == ACL_DOUBLE)
        *(double *)out = norm;
    else
        transfer_of(one->level)->convert(&norm, ACL_DOUBLE, out, one->out.dtype, 1);
    return 0;
}

static int run(const void *row, void *const *address, void *scratch)
{
    return row_run(row, address, scratch, run_index);
}

static size_t work_bytes(const void *plan)
{
    const struct plan_row *row = plan;
    size_t most = 0;
    for (uint64_t i = 0; i < row->count; i++) {
        const struct norm_plan *one = row_plan(row, i);
        const size_t bytes = one->x.extent == 0 ? 0 : reduce_work_bytes(&one->sum);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* One element for each tensor, in any float dtype. */
static aclnnStatus check_results(const struct call *call)
{
    const struct call_values *out = &call->values[NORM_out];
    if (out->count != call->values[NORM_x].count)
        return tell_list_count(call, NORM_out, NORM_x);
    for (uint64_t i = 0; i < out->count; i++) {
        const struct tensor_view *view = &out->value.tensor[i];
        if (view->count != 1)
            return refuse(call, "tensor %" PRIu64 " of out has %" PRId64 " elements; one is expected", i,
                          view->count);
        TRY(check_dtype_in_list(call, NORM_out, view->dtype));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_lists(call, 1, &result->computed));
    TRY(check_dtype(call, NORM_scalar));
    TRY(check_list_shapes(call, 1));
    struct output *output = result_add(result, ACL_DT_UNDEFINED, DTYPE_ANY);
    output->shape_rule = SHAPE_ONE; /* which of a list nobody but check_results judges */
    output->like = NORM_x;
    return call->has_outputs ? check_results(call) : ACLNN_SUCCESS;
}

static enum norm_kind kind_of(double p)
{
    return p == 0                   ? NORM_COUNT
           : p == 1                 ? NORM_SUM
           : p == 2                 ? NORM_SQUARES
           : p == (double)INFINITY  ? NORM_MOST
           : p == -(double)INFINITY ? NORM_LEAST
                                    : NORM_POWERS;
}

static size_t fill_bytes(const struct call *call, uint64_t index)
{
    return row_bytes(offsetof(struct norm_plan, sum) +
                     reduce_fill_bytes(call->values[NORM_x].value.tensor[index].rank));
}

static uint64_t fill(const struct call *call, uint64_t index, void *place)
{
    static const struct tensor_view one = {.dtype = ACL_DOUBLE, .count = 1};
    const struct tensor_view *x = &call->values[NORM_x].value.tensor[index];
    const struct shape shape = shape_of(x);
    const double p = scalar_to_fp64(&call->scalar[NORM_scalar]);
    struct norm_plan *plan = place;
    plan->level = call->settings->isa;
    plan->kind = kind_of(p);
    plan->p = p;
    plan->x = operand_of_view(x, call->first_operand[NORM_x] + (uint32_t)index);
    plan->out = operand_of_view(&call->values[NORM_out].value.tensor[index],
                                call->first_operand[NORM_out] + (uint32_t)index);
    const struct reduce_views views = {.reduction = &reductions[plan->kind],
                                       .input = {x},
                                       .output = &one,
                                       .address = {0},
                                       .output_address = 1,
                                       .input_count = 1,
                                       .shape = &shape,
                                       .reduced = ALL_AXES,
                                       .computed = ACL_DOUBLE};
    reduce_fill(&plan->sum, plan->level, &views);
    return plan->sum.cost_ns;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    (void)result;
    return row_of_plans(call, fill_bytes, fill);
}

FUNCTION_OF(aclnnForeachNorm, NORM, .stem = "foreach_norm", .promise = &promise_sum, .family = FAMILY_FOREACH,
            .operation.run = run, .operation.run_index = run_index, .operation.work_bytes = work_bytes,
            .operation.reads_first = true, .infer = infer, .plan = plan);

#endif
