/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Norms along dims: (sum of |x|^p)^(1/p), for p = 0 the number of x that are not 0, for infinite p the
 * greatest or the least |x|; of nothing 0.
 *
 * The usual ones, whose terms doubles hold, are reductions. For another p, and squares of DOUBLE, rows are
 * taken one by one: powers
 * are of |x| / m, with m the greatest |x|, or the least one for a negative p, so that none is more than 1.
 */
#include "simd/loops/row_digits.h"

struct norm_numbers {
    double p;
    struct row_digits digits; /* of the dtype that elements are cast to */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/norm_power.h"
#include "simd/loops/norm_steps.h"
#include "simd/loops/reduce.h"
#include "simd/loops/row_moments.h"
#include "simd/loops/row_rounded.h"

#define NORM(stem, kind, step, merge, first)                                \
    static const struct reduce_steps kind##_steps = {step, merge, 1, NULL}; \
    REDUCE_FLOATS(kind, kind##_steps)                                       \
    REDUCE_KERNELS(stem) = {.of = {REDUCE_FLOAT_KERNELS(kind, first)}};

NORM(vector_count, count, count_not_0, merge_sums, 0)
NORM(vector_sum, sum, add_sizes, merge_sums, 0)
NORM(vector_squares, squares, add_squares, merge_sums, 0)
NORM(vector_most, most, take_most, merge_most, 0)
NORM(vector_least, least, take_least, merge_least, INFINITY_BITS)

static inline __attribute__((always_inline)) void vector_powers(enum arithmetic dtype,
                                                                const void *const *input, void *const *output,
                                                                size_t count, double *room,
                                                                const void *parameters)
{
    const struct norm_numbers *numbers = parameters;
    const double p = numbers->p;
    doubles most = broadcast(p > 0 ? 0 : (double)INFINITY);
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const doubles size = absolute(row_rounded(row_load(dtype, input[0], i, left), &numbers->digits));
        const longs next =
            p > 0 ? merge_most((longs)most, (longs)size) : merge_least((longs)most, (longs)size);
        row_store(ARITHMETIC_FP64, room, i, size, left, false);
        most = choose(row_lanes(left), (doubles)next, most);
    }
    double end = most[0];
    for (int i = 1; i < LANES; i++) /* NaN stays */
        end = end != end || (p > 0 ? end > most[i] : end < most[i]) ? end : most[i];
    double norm = p == p ? end : p;
    if (end > 0 && end < (double)INFINITY && p == p) {
        for (size_t i = 0; i < count; i += LANES) {
            const doubles share = row_load(ARITHMETIC_FP64, room, i, count - i) / end;
            row_store(ARITHMETIC_FP64, room, i, norm_power(share, p), count - i, false);
        }
        norm *= norm_root_of(row_sum(ARITHMETIC_FP64, room, count, NULL, row_itself, 0), p);
    }
    row_store_single(dtype, output[0], count > 0 ? norm : 0);
}

ROWS_KERNELS(vector_powers, vector_powers)

#else

/* The contract. */
#include <math.h>

#include "aclnnop/aclnn_linalg_vector_norm.h"
#include "aclnnop/aclnn_norm.h"
#include "ops/check.h"
#include "ops/loops/reduce.h"
#include "ops/loops/rows.h"
#include "ops/scalar.h"
#include "ops/signature.h"

REDUCE_LEVELS(vector_count);
REDUCE_LEVELS(vector_sum);
REDUCE_LEVELS(vector_squares);
REDUCE_LEVELS(vector_most);
REDUCE_LEVELS(vector_least);
ROWS_LEVELS(vector_powers);

static void end_root(void *state, size_t outputs, uint64_t elements, aclDataType computed,
                     const void *parameters)
{
    double *sum = state;
    (void)elements, (void)computed, (void)parameters;
    for (size_t i = 0; i < outputs; i++)
        sum[i] = __builtin_sqrt(sum[i]);
}

static void end_least(void *state, size_t outputs, uint64_t elements, aclDataType computed,
                      const void *parameters)
{
    double *least = state;
    (void)computed, (void)parameters;
    for (size_t i = 0; elements == 0 && i < outputs; i++)
        least[i] = 0;
}

static const struct reduction count = {vector_count_reduce_kernels, .element_ps = 60};
static const struct reduction sum = {vector_sum_reduce_kernels, .element_ps = 60};
static const struct reduction squares = {vector_squares_reduce_kernels, .element_ps = 60, .end = end_root};
static const struct reduction most = {vector_most_reduce_kernels, .element_ps = 60};
static const struct reduction least = {vector_least_reduce_kernels, .element_ps = 60, .end = end_least};
static const struct rows powers = {vector_powers_rows, vector_powers_rows_fp32, .element_ps = 2500};

/* The reduction for p as FLOAT; NULL where p is none of these. Two integers stand for infinity. */
static const struct reduction *reduction_of(float p, aclDataType computed)
{
    return p == 0                ? &count
           : p == 1              ? &sum
           : p == 2              ? (computed == ACL_DOUBLE ? NULL : &squares)
           : p >= 2147483648.0f  ? &most
           : p <= -2147483648.0f ? &least
                                 : NULL;
}

#define SELF_P_AND_DIMS(X, of, p_, dims_, keeps_, set) \
    X(of, IN, self, set)                               \
    X(of, SCALAR, p_, &dtypes_reals, .usual = "2")     \
    X(of, INTS, dims_, .sample = "1")                  \
    X(of, BOOL, keeps_, .usual = "false")
#define NORM(X, of)                                                       \
    SELF_P_AND_DIMS(X, of, pScalar, dim, keepdim, &dtypes_fp32_fp16_bf16) \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(NORM)
#define LINALG_VECTOR_NORM(X, of)                               \
    SELF_P_AND_DIMS(X, of, ord, dims, keepDims, &dtypes_floats) \
    X(of, DTYPE, dtype, &dtypes_floats)                         \
    X(of, OUT, out, &dtypes_floats)
SIGNATURE(LINALG_VECTOR_NORM)

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const bool has_dtype = call_output(call) == LINALG_VECTOR_NORM_out;
    axes reduced;
    TRY(check_dtype(call, NORM_self));
    TRY(check_dtype(call, NORM_pScalar));
    if (has_dtype)
        TRY(check_dtype(call, LINALG_VECTOR_NORM_dtype));
    TRY(check_rank(call, NORM_self));
    TRY(check_axes(call, NORM_self, NORM_dim, &reduced));
    result->computed = has_dtype ? call_dtype(call, LINALG_VECTOR_NORM_dtype) : call_dtype(call, NORM_self);
    if (!has_dtype && call->has_outputs && call_dtype(call, NORM_out) != result->computed)
        result->computed = ACL_FLOAT; /* the wider one, which holds both */
    result_reduced(result, call, NORM_self, reduced, call->argument[NORM_keepdim].boolean,
                   has_dtype ? result->computed : call_dtype(call, NORM_self),
                   has_dtype ? DTYPE_EQUAL : DTYPE_ANY);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input = ROWS_TENSOR(NORM_self, WHOLE);
    const struct rows_tensor output = {.parameter = call_output(call), .part = ROWS_SINGLE};
    const struct shape shape = shape_of(&call->tensor[NORM_self]);
    const double p = scalar_to_fp64(&call->scalar[NORM_pScalar]);
    const struct reduction *reduction = reduction_of((float)p, result->computed);
    const unsigned self = NORM_self;
    axes reduced;
    TRY(check_axes(call, NORM_self, NORM_dim, &reduced));
    if (reduction != NULL)
        return reduce_plan(call, reduction, &self, 1, &shape, reduced, result->computed, NULL, 0);
    const struct norm_numbers numbers = {p, row_digits_of(result->computed)};
    const struct rows_request request = {.rank = shape.rank,
                                         .shape = shape.dim,
                                         .along = reduced,
                                         .input = &input,
                                         .output = &output,
                                         .inputs = 1,
                                         .outputs = 1,
                                         .parameters = &numbers,
                                         .parameter_bytes = sizeof numbers};
    return rows_plan(call, &request);
}

FUNCTION_OF(aclnnNorm, NORM, .stem = "norm", .promise = &promise_sum, ROWS(&powers), .infer = infer,
            .plan = plan);

FUNCTION_OF(aclnnLinalgVectorNorm, LINALG_VECTOR_NORM, .stem = "linalg_vector_norm", .promise = &promise_sum,
            ROWS(&powers), .infer = infer, .plan = plan);

#endif
