/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = tanh self, the exact value rounded once; fp32 at the default accuracy is within 1 unit in the last
 * place.
 *
 * +-0 gives itself, +-inf gives +-1. Integers and BOOL are converted to fp32 before. In place, selfRef is
 * self and out.
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/map.h"
#include "simd/tanh.h"
#include "simd/tanh_fp32.h"

static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    return tanh_estimate(input[0]);
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)value, (void)prepared;
    struct pair result = pair_tanh(input[0]);
    return round_to_odd(result.high, result.low);
}

/* 16 bits, any number: the exact value rounded once, for each of the 65,536 arguments. */
static INLINE_IF_FUSED vector fast_16(const vector *input, const void *prepared, struct unsettled *unsettled)
{
    (void)prepared;
    return logistic16_function(logistic16_tanh, TANH16_END, input[0], unsettled);
}

/* Within 0.9 units in the last place. */
static INLINE_IF_FUSED vector fast(const vector *input, const void *prepared, struct unsettled *unsettled)
{
    (void)prepared;
    return vector_tanh(input[0], unsettled);
}

static const struct evaluation hyperbolic_tangent = {.inputs = 1, .fast = fast, .fast_decides = true};
static const struct evaluation hyperbolic_tangent_16 = {
    .inputs = 1, .estimate = estimate, .settle = settle, .fast = fast_16};
static const struct evaluation hyperbolic_tangent_exact = {
    .inputs = 1, .estimate = estimate, .settle = settle};

MAP_KERNEL(run_fp32, ARITHMETIC_FP32, hyperbolic_tangent)
MAP_KERNEL(run_exact_fp32, ARITHMETIC_FP32, hyperbolic_tangent_exact)
MAP_KERNEL(run_fp16, ARITHMETIC_FP16, hyperbolic_tangent_16)
MAP_KERNEL(run_bf16, ARITHMETIC_BF16, hyperbolic_tangent_16)

KERNELS(tanh) = FLOAT_KERNELS(run_fp32, run_exact_fp32, run_fp16, run_bf16);

#else

/* The contract. */
#include "aclnnop/aclnn_tanh.h"
#include "ops/check.h"

enum { SELF, OUT };

KERNEL_LEVELS(tanh);
static const struct elementwise elementwise = {tanh_kernels, .cost_ps = {220, 1200}, .cost_16_bits_ps = 140};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    result_like(result, call, SELF);
    bool is_float = (dtypes_fp32_fp16_bf16.on[PRODUCT_950] >> result->computed & 1) != 0;
    if (!is_float)
        result->computed = ACL_FLOAT;
    result->output[0].dtype = result->computed;
    result->output[0].dtype_rule = DTYPE_ANY;
    return ACLNN_SUCCESS;
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_tanh),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnTanh, (const aclTensor *self, aclTensor *out), (ARG(self), ARG(out)), .stem = "tanh",
         PARAMETERS(parameters), .promise = &promise_fp32_ulp1, ELEMENTWISE(&elementwise), .infer = infer,
         .plan = elementwise_plan_plain);

static const struct parameter in_place[] = {
    [SELF] = BOTH("selfRef", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnInplaceTanh, (aclTensor * selfRef), (ARG(selfRef)), .stem = "tanh", PARAMETERS(in_place),
         .promise = &promise_fp32_ulp1, ELEMENTWISE(&elementwise), .infer = infer,
         .plan = elementwise_plan_plain);

#endif
