/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums along dims, and means: elements are cast to a dtype and added, floats in fp64 in the family's order,
 * integers exactly, BOOL by or; one of these sums leaves NaN out. A mean is divided by their number with one
 * rounding; of integers towards zero.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/reduce.h"

static inline longs add_floats(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return (longs)((doubles)state + (doubles)input[0]);
}

static inline longs merge_integers(longs state, longs other)
{
    return (longs)((ulongs)state + (ulongs)other); /* which wraps */
}

static inline longs add_integers(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return merge_integers(state, input[0]);
}

/* INT64 as two words, of which the lower is a number of 32 bits without a sign: so sums of 2^32 of them are
 * exact. */
static inline longs add_halves(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    longs is_low;
    for (int i = 0; i < LANES; i++)
        is_low[i] = i % 2 == 0 ? INT64_C(1) << 32 : 0;
    return merge_integers(state, input[0] + ((input[0] < 0) & is_low));
}

static const struct reduce_steps floats_steps = {.step = add_floats, .merge = reduce_merge_sums, .inputs = 1};
static const struct reduce_steps integers_steps = {
    .step = add_integers, .merge = merge_integers, .inputs = 1};
static const struct reduce_steps halves_steps = {.step = add_halves, .merge = merge_integers, .inputs = 1};

REDUCE_FLOATS(sum, floats_steps)
REDUCE_LOOPS(sum_complex64, ARITHMETIC_FP32, 2, floats_steps)
REDUCE_LOOPS(sum_complex128, ARITHMETIC_FP64, 2, floats_steps)
REDUCE_INTEGERS(sum, integers_steps)
REDUCE_LOOPS(sum_halves, ARITHMETIC_INT32, 2, halves_steps)

REDUCE_KERNELS(sum) = {
    .of = {REDUCE_FLOAT_KERNELS(sum, 0),
           REDUCE_INTEGER_KERNELS(sum, 0), [ARITHMETIC_COMPLEX64] = REDUCE_KERNEL(sum_complex64, 2, 0),
           [ARITHMETIC_COMPLEX128] = REDUCE_KERNEL(sum_complex128, 2, 0)}};

static inline longs add_numbers(longs state, const longs *input, const void *parameters)
{
    const doubles x = (doubles)input[0];
    (void)parameters;
    return (longs)((doubles)state + choose(x == x, x, broadcast(0)));
}

static const struct reduce_steps numbers_steps = {
    .step = add_numbers, .merge = reduce_merge_sums, .inputs = 1};

REDUCE_FLOATS(nansum, numbers_steps)

REDUCE_KERNELS(nansum) = {.of = {REDUCE_FLOAT_KERNELS(nansum, 0), REDUCE_INTEGER_KERNELS(sum, 0)}};

REDUCE_KERNELS(mean) = {
    .of = {REDUCE_FLOAT_KERNELS(sum, 0),
           REDUCE_SHORT_INTEGER_KERNELS(sum, 0), [ARITHMETIC_INT64] = REDUCE_KERNEL(sum_halves, 2, 0),
           [ARITHMETIC_COMPLEX64] = REDUCE_KERNEL(sum_complex64, 2, 0),
           [ARITHMETIC_COMPLEX128] = REDUCE_KERNEL(sum_complex128, 2, 0)}};

#else

/* The contract. */
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_reduce_nansum.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "ops/check.h"
#include "ops/promote.h"
#include "ops/loops/reduce.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define REDUCE_SUM(X, of)                                     \
    X(of, IN, self, &dtypes_floats_integers_bool_complex)     \
    X(of, INTS, dims, .sample = "1")                          \
    X(of, BOOL, keepDims, .usual = "false")                   \
    X(of, DTYPE, dtype, &dtypes_floats_integers_bool_complex) \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex)
SIGNATURE(REDUCE_SUM)

REDUCE_LEVELS(sum);
REDUCE_LEVELS(nansum);
REDUCE_LEVELS(mean);

static void divide_integers(int64_t *state, size_t outputs, uint64_t elements)
{
    for (size_t i = 0; i < outputs; i++)
        state[i] = elements == 0 ? 0 : state[i] / (int64_t)elements;
}

/* The mean of INT64 is one, whatever its sum is. */
static void divide_halves(int64_t *state, size_t outputs, uint64_t elements)
{
    __extension__ typedef __int128 int128;
    for (size_t i = 0; i < outputs; i++) {
        int128 sum = (int128)state[2 * i + 1] * (INT64_C(1) << 32) + (uint64_t)state[2 * i];
        state[i] = elements == 0 ? 0 : (int64_t)(sum / (int128)elements);
    }
}

static void divide(void *state, size_t outputs, uint64_t elements, aclDataType computed,
                   const void *parameters)
{
    (void)parameters;
    const bool is_complex = computed == ACL_COMPLEX64 || computed == ACL_COMPLEX128;
    const enum arithmetic arithmetic = arithmetic_of(computed);
    double *sum = state;
    if (computed == ACL_INT64)
        divide_halves(state, outputs, elements);
    else if (arithmetic >= ARITHMETICS && !is_complex)
        divide_integers(state, outputs, elements);
    else
        for (size_t i = 0; i < (is_complex ? 2 * outputs : outputs); i++)
            sum[i] /= (double)elements;
}

static const struct reduction sum_reduction = {sum_reduce_kernels, .element_ps = 60};
static const struct reduction nansum_reduction = {nansum_reduce_kernels, .element_ps = 80};
static const struct reduction mean_reduction = {mean_reduce_kernels, .element_ps = 60, .end = divide};

/* A complex result of nothing: the device refuses it. */
static aclnnStatus infer_in(const struct call *call, struct result *result, enum dtype_rule rule)
{
    result->computed = call_dtype(call, REDUCE_SUM_dtype);
    return reduce_infer(call, result, rule,
                        result->computed == ACL_COMPLEX64 || result->computed == ACL_COMPLEX128);
}

static aclnnStatus infer_sum(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, REDUCE_SUM_self));
    TRY(check_dtype(call, REDUCE_SUM_dtype));
    return infer_in(call, result, DTYPE_EQUAL);
}

static aclnnStatus infer_castable(const struct call *call, struct result *result, enum dtype_rule rule)
{
    TRY(check_dtype(call, REDUCE_SUM_self));
    TRY(check_dtype(call, REDUCE_SUM_dtype));
    if (!can_cast(call_dtype(call, REDUCE_SUM_self), call_dtype(call, REDUCE_SUM_dtype)))
        return refuse(call, "self is %s, which is not cast to dtype %s",
                      dtype_name(call_dtype(call, REDUCE_SUM_self)),
                      dtype_name(call_dtype(call, REDUCE_SUM_dtype)));
    return infer_in(call, result, rule);
}

static aclnnStatus infer_nansum(const struct call *call, struct result *result)
{
    return infer_castable(call, result, DTYPE_EQUAL);
}

static aclnnStatus infer_mean(const struct call *call, struct result *result)
{
    return infer_castable(call, result, DTYPE_CASTABLE);
}

#define MEAN_V2(X, of)                               \
    X(of, IN, self, &dtypes_floats_integers_complex) \
    X(of, INTS, dim, .sample = "1")                  \
    X(of, BOOL, keepDim, .usual = "false")           \
    X(of, BOOL, noopWithEmptyAxes, .usual = "false") \
    X(of, OUT, out, &dtypes_floats_integers_complex)
SIGNATURE(MEAN_V2)

/* The dims; none where an empty array means that. */
static aclnnStatus axes_of_mean(const struct call *call, axes *reduced)
{
    TRY(check_axes(call, REDUCE_SUM_self, REDUCE_SUM_dims, reduced));
    if (call->argument[MEAN_V2_noopWithEmptyAxes].boolean && call->values[REDUCE_SUM_dims].count == 0)
        *reduced = 0;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_mean_v2(const struct call *call, struct result *result)
{
    axes reduced;
    TRY(check_dtype(call, REDUCE_SUM_self));
    TRY(check_rank(call, REDUCE_SUM_self));
    TRY(axes_of_mean(call, &reduced));
    result->computed = call_dtype(call, REDUCE_SUM_self);
    const struct output *output =
        result_reduced(result, call, REDUCE_SUM_self, reduced, call->argument[REDUCE_SUM_keepDims].boolean,
                       result->computed, DTYPE_EQUAL);
    bool has_outputs = result->computed == ACL_COMPLEX64 || result->computed == ACL_COMPLEX128;
    for (uint32_t i = 0; i < output->shape.rank; i++)
        has_outputs = has_outputs && output->shape.dim[i] != 0;
    if (!has_outputs || call->tensor[REDUCE_SUM_self].count > 0)
        return ACLNN_SUCCESS;
    return refuse(call, "self has no elements, and the result is %s; one or more are expected",
                  dtype_name(result->computed));
}

static aclnnStatus plan_mean_v2(const struct call *call, const struct result *result)
{
    const unsigned self = REDUCE_SUM_self;
    const struct shape shape = shape_of(&call->tensor[REDUCE_SUM_self]);
    axes reduced;
    TRY(axes_of_mean(call, &reduced));
    return reduce_plan(call, &mean_reduction, &self, 1, &shape, reduced, result->computed, NULL, 0);
}

FUNCTION_OF(aclnnReduceSum, REDUCE_SUM, .stem = "reduce_sum", .promise = &promise_sum,
            REDUCTION(&sum_reduction), .infer = infer_sum, .plan = reduce_plan_usual);

#define MEAN(X, of)                                      \
    X(of, IN, self, &dtypes_floats_integers_complex)     \
    X(of, INTS, dim, .sample = "1")                      \
    X(of, BOOL, keepDim, .usual = "false")               \
    X(of, DTYPE, dtype, &dtypes_floats_integers_complex) \
    X(of, OUT, out, &dtypes_floats_integers_complex)
SIGNATURE(MEAN)

FUNCTION_OF(aclnnMean, MEAN, .stem = "mean", .promise = &promise_sum, REDUCTION(&mean_reduction),
            .infer = infer_mean, .plan = reduce_plan_usual);

FUNCTION_OF(aclnnMeanV2, MEAN_V2, .stem = "mean", .promise = &promise_sum, REDUCTION(&mean_reduction),
            .infer = infer_mean_v2, .plan = plan_mean_v2);

#define REDUCE_NANSUM(X, of)                                  \
    X(of, IN, self, &dtypes_fp32_fp16_bf16_integers_bool)     \
    X(of, INTS, dim, .sample = "1")                           \
    X(of, BOOL, keepDim, .usual = "false")                    \
    X(of, DTYPE, dtype, &dtypes_fp32_fp16_bf16_integers_bool) \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16_integers_bool)
SIGNATURE(REDUCE_NANSUM)

FUNCTION_OF(aclnnReduceNansum, REDUCE_NANSUM, .stem = "reduce_nansum", .promise = &promise_sum,
            REDUCTION(&nansum_reduction), .infer = infer_nansum, .plan = reduce_plan_usual);

#endif
