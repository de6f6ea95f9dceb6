/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradInput = gradOutput * (1 - output^2), the gradient of aclnnTanh from its result: the exact value rounded
 * once, of fp64 within 2 units in the last place.
 *
 * An output outside of [-1, 1] is taken as it is. It is a real multiplication: inf * 0 and 0 * inf are NaN,
 * and a finite negative gradient times 0 is -0.
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/exact.h"
#include "simd/map.h"
#include "simd/result_gradient.h"

/* The square of a number of 24 bits is a double. */
static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    return input[0] * (1 - input[1] * input[1]);
}

/*
 * A value cut to 48 bits is off by less than a unit of its last place, so no tie lies between it and the
 * exact one; the sign of the difference, all of whose terms are exact, tells the side.
 */
static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)prepared;
    doubles cut = leading(value, 48);
    struct pair cubic = two_product(input[0] * input[1], input[1]);
    const doubles difference[] = {input[0], -cubic.high, -cubic.low, -cut};
    return round_to_odd(cut, sign_of_sum(difference, 4));
}

/* g times 1 - y^2, which is a float and what that lost. */
static inline __attribute__((always_inline)) vector fast(const vector *input, const void *prepared,
                                                         struct unsettled *unsettled)
{
    (void)prepared;
    vector g = input[0], y = input[1];
    const flags is_plain = unsettled->path == PATH_ANY ? is_not_finite(g, y) : vector_greater(g, g);
    if (unsettled->path == PATH_ANY) {
        g = vector_choose(is_plain, vector_of(1), g);
        y = vector_choose(is_plain, vector_of(1), y);
    }
    /* Numbers to 2^20 have a last place of which 1 is a multiple: what a difference from 1 lost is exact. */
    vector factor = fused_from(y, y, vector_of(1)), square = 1 - factor;
    vector lost = fused_from(y, y, square) + ((1 - square) - factor);
    unsettled_small(unsettled, g);
    unsettled_above(unsettled, (vector_bits)square, 0x49800000);
    vector value =
        fine_product(g, factor, fused_from(g, lost, vector_of(0)), vector_of(fine_rest), unsettled);
    return unsettled->path == PATH_ANY ? vector_choose(is_plain, input[0] * (1 - input[1] * input[1]), value)
                                       : value;
}

static inline __attribute__((always_inline)) vector any_16(const vector *input, const void *prepared,
                                                           struct unsettled *unsettled)
{
    (void)prepared;
    return result_gradient_any(input[0], input[1], false, unsettled);
}

static inline __attribute__((always_inline)) lanes16 quick_16(const char *const *source, const void *prepared,
                                                              struct unsettled *unsettled)
{
    (void)prepared;
    return result_gradient_quick(source, unsettled, false);
}

static const struct evaluation tanh_backward = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast};
static const struct evaluation tanh_backward_16 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = any_16, .lanes16 = quick_16};

/* Within 2 units in the last place for outputs from -1 to 1: next to these 1 - |y| is exact and (1 - |y|)
 * (1 + |y|) does not cancel; next to 0 what y^2 loses is little beside 1. */
static inline doubles estimate_fp64(const doubles *input, const void *prepared)
{
    (void)prepared;
    const doubles g = input[0], size = absolute(input[1]);
    return choose(size < 0.5, g * (1 - size * size), (g * (1 - size)) * (1 + size));
}

static const struct evaluation tanh_backward_fp64 = {.inputs = 2, .estimate = estimate_fp64};

MAP_KERNEL(run_fp32, ARITHMETIC_FP32, tanh_backward)
MAP_KERNEL(run_fp16, ARITHMETIC_FP16, tanh_backward_16)
MAP_KERNEL(run_bf16, ARITHMETIC_BF16, tanh_backward_16)
MAP_KERNEL(run_fp64, ARITHMETIC_FP64, tanh_backward_fp64)

KERNELS(tanh_backward) = {
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
#include "aclnnop/aclnn_tanh_backward.h"
#include "ops/check.h"

enum { GRAD_OUTPUT, OUTPUT_OF_TANH, GRAD_INPUT };

KERNEL_LEVELS(tanh_backward);
static const struct elementwise elementwise = {tanh_backward_kernels, .cost_ps = {100, 100}};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, OUTPUT_OF_TANH};
    TRY(check_dtype(call, GRAD_OUTPUT));
    TRY(check_dtype(call, OUTPUT_OF_TANH));
    TRY(check_same_dtype(call, OUTPUT_OF_TANH, GRAD_OUTPUT, NULL));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, OUTPUT_OF_TANH));
    result->computed = call->tensor[GRAD_OUTPUT].dtype;
    return result_broadcast(result, call, inputs, 2, result->computed, DTYPE_EQUAL);
}

static const struct parameter parameters[] = {
    [GRAD_OUTPUT] = READ("gradOutput", &dtypes_floats),
    [OUTPUT_OF_TANH] = READ("output", &dtypes_floats),
    [GRAD_INPUT] = WRITTEN("gradInput", &dtypes_floats),
};

FUNCTION(aclnnTanhBackward, (const aclTensor *gradOutput, const aclTensor *output, aclTensor *gradInput),
         (ARG(gradOutput), ARG(output), ARG(gradInput)), .stem = "tanh_backward", PARAMETERS(parameters),
         .promise = &promise_fp64_ulp2, ELEMENTWISE(&elementwise), .infer = infer,
         .plan = elementwise_plan_plain);

#endif
