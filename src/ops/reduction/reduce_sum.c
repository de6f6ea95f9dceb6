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

static inline longs merge_floats(longs state, longs other)
{
    return (longs)((doubles)state + (doubles)other);
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

static const struct reduce_steps floats_steps = {add_floats, merge_floats, 1};
static const struct reduce_steps integers_steps = {add_integers, merge_integers, 1};
static const struct reduce_steps halves_steps = {add_halves, merge_integers, 1};

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

static const struct reduce_steps numbers_steps = {add_numbers, merge_floats, 1};

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
#include "tensor/dtype.h"

enum { SELF, DIMS, KEEP_DIMS, DTYPE, OUT };

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
    result->computed = call_dtype(call, DTYPE);
    return reduce_infer(call, result, rule,
                        result->computed == ACL_COMPLEX64 || result->computed == ACL_COMPLEX128);
}

static aclnnStatus infer_sum(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, DTYPE));
    return infer_in(call, result, DTYPE_EQUAL);
}

static aclnnStatus infer_castable(const struct call *call, struct result *result, enum dtype_rule rule)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, DTYPE));
    if (!can_cast(call_dtype(call, SELF), call_dtype(call, DTYPE)))
        return refuse(call, "self is %s, which is not cast to dtype %s", dtype_name(call_dtype(call, SELF)),
                      dtype_name(call_dtype(call, DTYPE)));
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

enum { NOOP = 3, MEAN_OUT };

/* The dims; none where an empty array means that. */
static aclnnStatus axes_of_mean(const struct call *call, axes *reduced)
{
    TRY(check_axes(call, SELF, DIMS, reduced));
    if (call->argument[NOOP].boolean && call->values[DIMS].count == 0)
        *reduced = 0;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_mean_v2(const struct call *call, struct result *result)
{
    axes reduced;
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    TRY(axes_of_mean(call, &reduced));
    result->computed = call_dtype(call, SELF);
    const struct output *output = result_reduced(
        result, call, SELF, reduced, call->argument[KEEP_DIMS].boolean, result->computed, DTYPE_EQUAL);
    bool has_outputs = result->computed == ACL_COMPLEX64 || result->computed == ACL_COMPLEX128;
    for (uint32_t i = 0; i < output->shape.rank; i++)
        has_outputs = has_outputs && output->shape.dim[i] != 0;
    if (!has_outputs || call->tensor[SELF].count > 0)
        return ACLNN_SUCCESS;
    return refuse(call, "self has no elements, and the result is %s; one or more are expected",
                  dtype_name(result->computed));
}

static aclnnStatus plan_mean_v2(const struct call *call, const struct result *result)
{
    const unsigned self = SELF;
    const struct shape shape = shape_of(&call->tensor[SELF]);
    axes reduced;
    TRY(axes_of_mean(call, &reduced));
    return reduce_plan(call, &mean_reduction, &self, 1, &shape, reduced, result->computed, NULL, 0);
}

static const struct parameter sum_parameters[] = {
    [SELF] = READ("self", &dtypes_floats_integers_bool_complex),
    [DIMS] = {"dims", .kind = PARAMETER_INT_ARRAY, .sample = "1"},
    [KEEP_DIMS] = USUAL("keepDims", BOOL, "false"),
    [DTYPE] = {"dtype", &dtypes_floats_integers_bool_complex, .kind = PARAMETER_DTYPE},
    [OUT] = WRITTEN("out", &dtypes_floats_integers_bool_complex),
};

FUNCTION(aclnnReduceSum,
         (const aclTensor *self, const aclIntArray *dims, bool keepDims, aclDataType dtype, aclTensor *out),
         (ARG(self), ARG(dims), ARG(keepDims), ARG(dtype), ARG(out)), .stem = "reduce_sum",
         PARAMETERS(sum_parameters), .promise = &promise_sum, REDUCTION(&sum_reduction), .infer = infer_sum,
         .plan = reduce_plan_usual);

static const struct parameter mean_parameters[] = {
    [SELF] = READ("self", &dtypes_floats_integers_complex),
    [DIMS] = {"dim", .kind = PARAMETER_INT_ARRAY, .sample = "1"},
    [KEEP_DIMS] = USUAL("keepDim", BOOL, "false"),
    [DTYPE] = {"dtype", &dtypes_floats_integers_complex, .kind = PARAMETER_DTYPE},
    [OUT] = WRITTEN("out", &dtypes_floats_integers_complex),
};

FUNCTION(aclnnMean,
         (const aclTensor *self, const aclIntArray *dim, bool keepDim, aclDataType dtype, aclTensor *out),
         (ARG(self), ARG(dim), ARG(keepDim), ARG(dtype), ARG(out)), .stem = "mean",
         PARAMETERS(mean_parameters), .promise = &promise_sum, REDUCTION(&mean_reduction),
         .infer = infer_mean, .plan = reduce_plan_usual);

static const struct parameter mean_v2_parameters[] = {
    [SELF] = READ("self", &dtypes_floats_integers_complex),
    [DIMS] = {"dim", .kind = PARAMETER_INT_ARRAY, .sample = "1"},
    [KEEP_DIMS] = USUAL("keepDim", BOOL, "false"),
    [NOOP] = USUAL("noopWithEmptyAxes", BOOL, "false"),
    [MEAN_OUT] = WRITTEN("out", &dtypes_floats_integers_complex),
};

FUNCTION(aclnnMeanV2,
         (const aclTensor *self, const aclIntArray *dim, bool keepDim, bool noopWithEmptyAxes,
          aclTensor *out),
         (ARG(self), ARG(dim), ARG(keepDim), ARG(noopWithEmptyAxes), ARG(out)), .stem = "mean",
         PARAMETERS(mean_v2_parameters), .promise = &promise_sum, REDUCTION(&mean_reduction),
         .infer = infer_mean_v2, .plan = plan_mean_v2);

static const struct parameter nansum_parameters[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16_integers_bool),
    [DIMS] = {"dim", .kind = PARAMETER_INT_ARRAY, .sample = "1"},
    [KEEP_DIMS] = USUAL("keepDim", BOOL, "false"),
    [DTYPE] = {"dtype", &dtypes_fp32_fp16_bf16_integers_bool, .kind = PARAMETER_DTYPE},
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16_integers_bool),
};

FUNCTION(aclnnReduceNansum,
         (const aclTensor *self, const aclIntArray *dim, bool keepDim, aclDataType dtype, aclTensor *out),
         (ARG(self), ARG(dim), ARG(keepDim), ARG(dtype), ARG(out)), .stem = "reduce_nansum",
         PARAMETERS(nansum_parameters), .promise = &promise_sum, REDUCTION(&nansum_reduction),
         .infer = infer_nansum, .plan = reduce_plan_usual);

#endif
