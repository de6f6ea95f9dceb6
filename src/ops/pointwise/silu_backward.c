/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradInput = gradOutput * s'(self), where s'(x) = sigma(x) (1 + x (1 - sigma(x))) and sigma(x) = 1 / (1 +
 * e^-x).
 *
 * Every finite x gives the exact value rounded once, at the root near x = -1.27846454 and in the far tail
 * too; fp32 at the default accuracy is within 1 unit in the last place instead. x = +-inf or NaN gives NaN.
 * An infinite gradient with a finite x gives an infinity with the sign of s'(x).
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/logistic.h"
#include "simd/map.h"
#include "simd/silu_gradient.h"

static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    return input[0] * silu_derivative(input[1]);
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)prepared;
    (void)value;
    struct pair derivative = pair_silu_derivative(input[1]);
    struct pair result = pair_multiply((struct pair){input[0], broadcast(0)}, derivative);
    return round_to_odd(result.high, result.low);
}

static INLINE_IF_FUSED vector fast_fp32(const vector *input, const void *prepared,
                                        struct unsettled *unsettled)
{
    (void)prepared;
    return unsettled->path == PATH_QUICK ? silu_quick(input[0], input[1], unsettled)
                                         : silu_any(input[0], input[1]);
}

static const struct evaluation silu_exact = {.inputs = 2, .estimate = estimate, .settle = settle};
static const struct evaluation silu_fp32 = {.inputs = 2, .fast = fast_fp32, .fast_decides = true, .pairs = 2};
static const struct evaluation silu_16 = {.inputs = 2,
                                          .estimate = estimate,
                                          .settle = settle,
                                          .fast = silu_any_16,
                                          .lanes16 = silu_quick_16,
                                          .pairs = 2};

MAP_KERNEL(run_fp32, ARITHMETIC_FP32, silu_fp32)
MAP_KERNEL(run_fp32_exact, ARITHMETIC_FP32, silu_exact)
MAP_KERNEL(run_fp16, ARITHMETIC_FP16, silu_16)
MAP_KERNEL(run_bf16, ARITHMETIC_BF16, silu_16)

KERNELS(silu_backward) = FLOAT_KERNELS(run_fp32, run_fp32_exact, run_fp16, run_bf16);

#else

/* The contract. */
#include "aclnnop/aclnn_silu_backward.h"
#include "ops/check.h"

enum { GRAD_OUTPUT, SELF, GRAD_INPUT };

KERNEL_LEVELS(silu_backward);
static const struct elementwise elementwise = {silu_backward_kernels, .cost_ps = {300, 2000}};

/* Dtypes and shapes are equal, except that Ascend950 promotes and broadcasts; a promoted gradInput is FLOAT.
 */
static aclnnStatus infer_same(const struct call *call, struct result *result)
{
    TRY(check_same_dtype(call, SELF, GRAD_OUTPUT, "Ascend950 promotes them"));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    TRY(check_same_shape(call, SELF, GRAD_OUTPUT, "Ascend950 broadcasts them"));
    result_like(result, call, GRAD_OUTPUT);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_common(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, SELF};
    TRY(check_promotion(call, inputs, 2, &result->computed));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    return result_broadcast(result, call, inputs, 2, result->computed, DTYPE_EQUAL);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, GRAD_OUTPUT));
    TRY(check_dtype(call, SELF));
    return call->settings->product == PRODUCT_950 ? infer_common(call, result) : infer_same(call, result);
}

static const struct parameter parameters[] = {
    [GRAD_OUTPUT] = READ("gradOutput", &dtypes_fp32_fp16_bf16),
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16),
    [GRAD_INPUT] = WRITTEN("gradInput", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnSiluBackward, (const aclTensor *gradOutput, const aclTensor *self, aclTensor *gradInput),
         (ARG(gradOutput), ARG(self), ARG(gradInput)), .stem = "silu_backward", PARAMETERS(parameters),
         .promise = &promise_fp32_ulp1, ELEMENTWISE(&elementwise), .infer = infer,
         .plan = elementwise_plan_plain);

#endif
