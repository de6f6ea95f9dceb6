/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self where self > 0, self * negativeSlope elsewhere.
 *
 * +-0 and NaN take the slope branch: 0 keeps or changes its sign with the slope's, 0 times an infinite slope
 * is NaN. The slope may be negative. In place, selfRef is self and out.
 */
#include "simd/kernel.h"

struct leaky_relu_parameters {
    double slope; /* rounded to fp32 unless the arithmetic is fp64 */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/leaky_slope.h"

static inline doubles estimate(const doubles *input, const void *slope)
{
    return leaky_doubles(input[0], input[0], *(const double *)slope);
}

static inline __attribute__((always_inline)) wide fast_fp32(const wide *input, const void *slope,
                                                            struct doubts *doubts)
{
    (void)doubts;
    return leaky_fp32(input[0], input[0], *(const double *)slope);
}

static inline __attribute__((always_inline)) narrow short_fp16(const narrow *input, const void *slope,
                                                               struct doubts *doubts)
{
    return leaky_fp16(input[0], input[0], *(const struct slope *)slope, doubts, true);
}

static inline __attribute__((always_inline)) narrow short_bf16(const narrow *input, const void *slope,
                                                               struct doubts *doubts)
{
    return leaky_bf16(input[0], input[0], *(const struct slope *)slope, doubts, true);
}

static inline __attribute__((always_inline)) narrow long_fp16(const narrow *input, const void *slope,
                                                              struct doubts *doubts)
{
    return leaky_fp16(input[0], input[0], *(const struct slope *)slope, doubts, false);
}

static inline __attribute__((always_inline)) narrow long_bf16(const narrow *input, const void *slope,
                                                              struct doubts *doubts)
{
    return leaky_bf16(input[0], input[0], *(const struct slope *)slope, doubts, false);
}

static const struct evaluation leaky_relu = {.inputs = 1, .estimate = estimate, .fast = fast_fp32};
static const struct leaky_ways ways_fp16 = {
    .with_short = {.inputs = 1, .estimate = estimate, .narrow = short_fp16, .asks_ahead = true},
    .with_long = {.inputs = 1, .estimate = estimate, .narrow = long_fp16, .asks_ahead = true},
    .with_extreme = {.inputs = 1, .estimate = estimate},
};
static const struct leaky_ways ways_bf16 = {
    .with_short = {.inputs = 1, .estimate = estimate, .narrow = short_bf16, .has_small = true},
    .with_long = {.inputs = 1, .estimate = estimate, .narrow = long_bf16, .has_small = true},
    .with_extreme = {.inputs = 1, .estimate = estimate},
};

MAP_KERNEL(run_fp32, ARITHMETIC_FP32, leaky_relu, parameters)
MAP_KERNEL(run_fp64, ARITHMETIC_FP64, leaky_relu, parameters)

static void run_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    const struct leaky_relu_parameters *given = parameters;
    leaky_map(ARITHMETIC_FP16, &ways_fp16, input, output, count, given->slope, streams);
}

static void run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    const struct leaky_relu_parameters *given = parameters;
    leaky_map(ARITHMETIC_BF16, &ways_bf16, input, output, count, given->slope, streams);
}

KERNELS(leaky_relu) = {
    .run = {[ACCURACY_DEFAULT] = {[ARITHMETIC_FP32] = run_fp32,
                                  [ARITHMETIC_FP16] = run_fp16,
                                  [ARITHMETIC_BF16] = run_bf16,
                                  [ARITHMETIC_FP64] = run_fp64},
            [ACCURACY_EXACT] = {[ARITHMETIC_FP32] = run_fp32,
                                [ARITHMETIC_FP16] = run_fp16,
                                [ARITHMETIC_BF16] = run_bf16,
                                [ARITHMETIC_FP64] = run_fp64}},
};

#else

/* The contract. */
#include "aclnnop/aclnn_leaky_relu.h"
#include "ops/check.h"
#include "ops/scalar.h"

enum { SELF, NEGATIVE_SLOPE, OUT };

KERNEL_LEVELS(leaky_relu);
static const struct elementwise elementwise = {leaky_relu_kernels, .cost_ps = {50, 50}};

static aclnnStatus plan(const struct call *call)
{
    const unsigned out = call_output(call);
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, NEGATIVE_SLOPE));
    TRY(check_castable(call, call->tensor[SELF].dtype, out));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, out));
    TRY(check_same_shape(call, out, SELF, NULL));
    const struct scalar_value *slope = &call->scalar[NEGATIVE_SLOPE];
    aclDataType dtype = call->tensor[SELF].dtype;
    struct leaky_relu_parameters parameters = {
        .slope = dtype == ACL_DOUBLE ? scalar_to_fp64(slope) : scalar_to_fp32(slope),
    };
    return elementwise_plan(call, dtype, &parameters, sizeof parameters);
}

OPERATOR(leaky_relu) = {
    .operation = ELEMENTWISE("aclnnLeakyRelu"),
    .stem = "leaky_relu",
    .parameter_count = 3,
    .parameter =
        {
            [SELF] = {.name = "self", .kind = PARAMETER_INPUT, .dtypes = &dtypes_floats},
            [NEGATIVE_SLOPE] = {.name = "negativeSlope",
                                .kind = PARAMETER_SCALAR,
                                .dtypes = &dtypes_real_scalars,
                                .default_text = "0.01"},
            [OUT] = {.name = "out", .kind = PARAMETER_OUTPUT, .dtypes = &dtypes_float_results},
        },
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnLeakyRelu,
};

OPERATOR(inplace_leaky_relu) = {
    .operation = ELEMENTWISE("aclnnInplaceLeakyRelu"),
    .stem = "leaky_relu",
    .parameter_count = 2,
    .parameter =
        {
            [SELF] = {.name = "selfRef", .kind = PARAMETER_IN_PLACE, .dtypes = &dtypes_floats},
            [NEGATIVE_SLOPE] = {.name = "negativeSlope",
                                .kind = PARAMETER_SCALAR,
                                .dtypes = &dtypes_real_scalars,
                                .default_text = "0.01"},
        },
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnInplaceLeakyRelu,
};

aclnnStatus aclnnLeakyReluGetWorkspaceSize(const aclTensor *self, const aclScalar *negativeSlope,
                                           aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = self}, {.scalar = negativeSlope}, {.tensor = out}};
    return operator_plan(&leaky_relu, argument, workspaceSize, executor);
}

PHASE_2(aclnnLeakyRelu, leaky_relu)

aclnnStatus aclnnInplaceLeakyReluGetWorkspaceSize(aclTensor *selfRef, const aclScalar *negativeSlope,
                                                  uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = selfRef}, {.scalar = negativeSlope}};
    return operator_plan(&inplace_leaky_relu, argument, workspaceSize, executor);
}

PHASE_2(aclnnInplaceLeakyRelu, inplace_leaky_relu)

#endif
