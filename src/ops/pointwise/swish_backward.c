/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradInput = gradOutput * p (1 + y (1 - p)) with y = beta self and p = 1 / (1 + e^-y): the gradient of
 * self / (1 + e^-y) where beta is 1.
 *
 * No factor beta: the formula is what it is. Every finite y gives the exact value rounded once, as the
 * product y is exact in doubles; fp32 at the default accuracy is within 1 unit in the last place. y = +-inf
 * or NaN, so that beta = 0 with an infinite self too, gives NaN.
 */
#include "simd/kernel.h"

struct swish_backward_parameters {
    double beta; /* of fp32 */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/gradient_fp32.h"
#include "simd/logistic.h"
#include "simd/map.h"
#include "simd/silu_derivative.h"

static inline doubles estimate(const doubles *input, const void *prepared)
{
    const struct swish_backward_parameters *parameters = prepared;
    return input[0] * silu_derivative(parameters->beta * input[1]);
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)value;
    const struct swish_backward_parameters *parameters = prepared;
    struct pair derivative = pair_silu_derivative(parameters->beta * input[1]);
    struct pair result = pair_multiply((struct pair){input[0], broadcast(0)}, derivative);
    return round_to_odd(result.high, result.low);
}

static INLINE_IF_FUSED vector fast(const vector *input, const void *prepared, struct unsettled *unsettled)
{
    const struct swish_backward_parameters *parameters = prepared;
    const vector beta = vector_of((float)parameters->beta);
    vector y = input[1] * beta, rest = fused_minus(input[1], beta, y), size = vector_absolute(y);
    rest = (vector)((vector_bits)rest ^ ((vector_bits)y & 0x80000000));
    struct vector_pair phi = silu_phi_pair_of(size, rest, true);
    return vector_gradient(input, size, 0x41a00000 /* 20 */,
                           derivative_of(phi, vector_greater(y, vector_of(0))), unsettled);
}

static const struct evaluation swish_fp32 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast, .fast_decides = true, .pairs = 2};
static const struct evaluation swish_16 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast, .pairs = 2};
static const struct evaluation swish_exact = {.inputs = 2, .estimate = estimate, .settle = settle};

MAP_KERNEL(run_fp32, ARITHMETIC_FP32, swish_fp32)
MAP_KERNEL(run_exact_fp32, ARITHMETIC_FP32, swish_exact)
MAP_KERNEL(map_fp16, ARITHMETIC_FP16, swish_16)
MAP_KERNEL(map_bf16, ARITHMETIC_BF16, swish_16)

/* With beta = 1 it is the gradient of silu, which has ways of its own in 16 bits. */
OTHER_KERNELS(silu_backward);

static void run_16(kernel_function *other, enum arithmetic dtype, const void *const *input, void *output,
                   size_t count, const struct swish_backward_parameters *parameters, bool non_temporal)
{
    kernel_function *silu = KERNELS_OF(silu_backward, KERNEL_PASS).run[ACCURACY_DEFAULT][dtype];
    (parameters->beta == 1 ? silu : other)(input, output, count, parameters, non_temporal);
}

static void run_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run_16(map_fp16, ARITHMETIC_FP16, input, output, count, parameters, non_temporal);
}

static void run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run_16(map_bf16, ARITHMETIC_BF16, input, output, count, parameters, non_temporal);
}

KERNELS(swish_backward) = FLOAT_KERNELS(run_fp32, run_exact_fp32, run_fp16, run_bf16);

#else

/* The contract. */
#include "aclnnop/aclnn_swish_backward.h"
#include "ops/check.h"

enum { GRAD_OUTPUT, SELF, BETA, GRAD_INPUT };

KERNEL_LEVELS(swish_backward);
static const struct elementwise elementwise = {swish_backward_kernels, .cost_ps = {280, 1800},
                                               .cost_16_bits_ps = 480};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    double beta;
    TRY(check_optional_fp32(call, BETA, 1, &beta));
    return elementwise_infer_alike(call, result);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct swish_backward_parameters parameters;
    TRY(check_optional_fp32(call, BETA, 1, &parameters.beta));
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

static const struct parameter parameters[] = {
    [GRAD_OUTPUT] = READ("gradOutput", &dtypes_fp32_fp16_bf16),
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16),
    [BETA] = SCALAR("betaOptional", &dtypes_castable_to_fp32, .is_optional = true),
    [GRAD_INPUT] = WRITTEN("gradInput", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnSwishBackward,
         (const aclTensor *gradOutput, const aclTensor *self, const aclScalar *betaOptional,
          aclTensor *gradInput),
         (ARG(gradOutput), ARG(self), ARG(betaOptional), ARG(gradInput)), .stem = "swish_backward",
         PARAMETERS(parameters), .promise = &promise_fp32_ulp1, ELEMENTWISE(&elementwise), .infer = infer,
         .plan = plan);

#endif
