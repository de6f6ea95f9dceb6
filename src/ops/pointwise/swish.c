/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self / (1 + e^-y) with y = beta self, which is exact in doubles.
 *
 * Every finite y gives the exact value rounded once; fp32 at the default accuracy is within 1 unit in the
 * last place. beta = 0 gives self / 2 for every self. beta = +-inf
 * gives the limit, self or self * 0, and NaN at self = 0. What the formula makes of an infinite self: self
 * where y = +inf, NaN where y = -inf. beta = NaN gives NaN.
 */
#include "simd/kernel.h"

struct swish_parameters {
    double beta; /* of fp32 */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/logistic.h"
#include "simd/map.h"
#include "simd/swish_fp32.h"

/* 0 for beta = 0 also where self is infinite. */
static inline doubles argument_of(doubles x, const struct swish_parameters *parameters)
{
    return parameters->beta == 0 ? broadcast(0) : parameters->beta * x;
}

/* At y = -inf the factor is 0. */
static inline doubles estimate(const doubles *input, const void *prepared)
{
    return input[0] * logistic(argument_of(input[0], prepared));
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)value;
    struct pair factor = pair_logistic(argument_of(input[0], prepared));
    struct pair result = pair_multiply((struct pair){input[0], broadcast(0)}, factor);
    return round_to_odd(result.high, result.low);
}

static INLINE_IF_FUSED vector fast(const vector *input, const void *prepared, struct unsettled *unsettled)
{
    const struct swish_parameters *parameters = prepared;
    return vector_swish(input[0], (float)parameters->beta, unsettled);
}

static const struct evaluation swish_fp32 = {.inputs = 1, .fast = fast, .fast_decides = true};
static const struct evaluation swish_16 = {.inputs = 1, .estimate = estimate, .settle = settle, .fast = fast};
static const struct evaluation swish_exact = {.inputs = 1, .estimate = estimate, .settle = settle};

MAP_KERNEL(map_fp32, ARITHMETIC_FP32, swish_fp32)
MAP_KERNEL(run_exact_fp32, ARITHMETIC_FP32, swish_exact)
MAP_KERNEL(map_fp16, ARITHMETIC_FP16, swish_16)
MAP_KERNEL(map_bf16, ARITHMETIC_BF16, swish_16)

/* With beta = 1 it is silu. */
OTHER_KERNELS(silu);

static void run(kernel_function *other, enum arithmetic dtype, const void *const *input, void *output,
                size_t count, const struct swish_parameters *parameters, bool non_temporal)
{
    kernel_function *silu = KERNELS_OF(silu, KERNEL_PASS).run[ACCURACY_DEFAULT][dtype];
    (parameters->beta == 1 ? silu : other)(input, output, count, parameters, non_temporal);
}

static void run_fp32(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run(map_fp32, ARITHMETIC_FP32, input, output, count, parameters, non_temporal);
}

static void run_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run(map_fp16, ARITHMETIC_FP16, input, output, count, parameters, non_temporal);
}

static void run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run(map_bf16, ARITHMETIC_BF16, input, output, count, parameters, non_temporal);
}

KERNELS(swish) = FLOAT_KERNELS(run_fp32, run_exact_fp32, run_fp16, run_bf16);

#else

/* The contract. */
#include "aclnnop/aclnn_swish.h"
#include "ops/check.h"

enum { SELF, BETA, OUT };

KERNEL_LEVELS(swish);
static const struct elementwise elementwise = {swish_kernels, .cost_ps = {260, 1300}};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    double beta;
    TRY(check_optional_fp32(call, BETA, 1, &beta));
    return elementwise_infer_ranked(call, result);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct swish_parameters parameters;
    TRY(check_optional_fp32(call, BETA, 1, &parameters.beta));
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16),
    [BETA] = SCALAR("betaOptional", &dtypes_castable_to_fp32, .is_optional = true),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnSwish, (const aclTensor *self, const aclScalar *betaOptional, aclTensor *out),
         (ARG(self), ARG(betaOptional), ARG(out)), .stem = "swish", PARAMETERS(parameters),
         .promise = &promise_fp32_ulp1, ELEMENTWISE(&elementwise), .infer = infer, .plan = plan);

#endif
