/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The binary cross entropy of probabilities x and targets y, -w (y max(ln x, -100) + (1 - y) max(ln(1 - x),
 * -100)), its sum and mean, and its gradient g w (x - y) / max(x (1 - x), 1e-12), of a mean divided by the
 * number of losses. Everything is computed in doubles, and rounded once to the output's dtype.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "ops/composite/map_doubles.h"
#include "simd/maths/logarithm.h"
#include "simd/loops/reduce_formula.h"

/* What is less becomes -100; NaN stays. */
static inline doubles limited(doubles logarithm)
{
    return choose(logarithm < -100, broadcast(-100), logarithm);
}

static inline doubles loss(const doubles *x, const void *prepared)
{
    (void)prepared;
    return -x[2] * (x[1] * limited(maths_log(x[0])) + (1 - x[1]) * limited(maths_log1p(-x[0])));
}

static inline doubles gradient(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const doubles spread = x[1] * (1 - x[1]);
    return x[0] * x[3] * (x[1] - x[2]) / choose(spread < 1e-12, broadcast(1e-12), spread) / number[0];
}

MAP_DOUBLES(binary_cross_entropy, 3, loss)
MAP_DOUBLES(binary_cross_entropy_backward, 4, gradient)

REDUCE_FORMULA(sum, loss, 3)
REDUCE_LOOPS(sum, ARITHMETIC_FP64, 1, sum_steps)
REDUCE_KERNELS(binary_cross_entropy) = {.of = {[ARITHMETIC_FP64] = REDUCE_KERNEL(sum, 1, 0)}};

#else

/* The contract. */
#include "aclnnop/aclnn_binary_cross_entropy.h"
#include "aclnnop/aclnn_binary_cross_entropy_backward.h"
#include "ops/composite/loss.h"
#include "ops/signature.h"

#define BINARY_CROSS_ENTROPY(X, of)                                \
    X(of, IN, self, &dtypes_fp32_fp16_bf16)                        \
    X(of, IN, target, &dtypes_fp32_fp16_bf16)                      \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .is_optional = true) \
    LOSS_REDUCTION(X, of)                                          \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(BINARY_CROSS_ENTROPY)
#define BINARY_CROSS_ENTROPY_BACKWARD(X, of)                               \
    X(of, IN, gradOutput, &dtypes_fp32_fp16_bf16)                          \
    X(of, IN, self, &dtypes_fp32_fp16_bf16)                                \
    X(of, IN, target, &dtypes_fp32_fp16_bf16)                              \
    X(of, IN, weightOptional, &dtypes_fp32_fp16_bf16, .is_optional = true) \
    LOSS_REDUCTION(X, of)                                                  \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(BINARY_CROSS_ENTROPY_BACKWARD)

KERNEL_LEVELS(binary_cross_entropy);
KERNEL_LEVELS(binary_cross_entropy_backward);
REDUCE_LEVELS(binary_cross_entropy);

static const struct elementwise losses = {binary_cross_entropy_kernels, .cost_ps = {5000, 5000}};
static const struct elementwise gradients = {binary_cross_entropy_backward_kernels, .cost_ps = {1500, 1500}};
static const struct reduction sums = {binary_cross_entropy_reduce_kernels, .element_ps = 1600,
                                      .end = loss_divide};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(loss_check_tensors(call, BINARY_CROSS_ENTROPY_self, true));
    TRY(check_same_shape(call, BINARY_CROSS_ENTROPY_target, BINARY_CROSS_ENTROPY_self, NULL));
    TRY(loss_check_fits(call, BINARY_CROSS_ENTROPY_weight, BINARY_CROSS_ENTROPY_self));
    TRY(check_choice(call, BINARY_CROSS_ENTROPY_reduction));
    result_like(result, call, BINARY_CROSS_ENTROPY_self);
    if (call->argument[BINARY_CROSS_ENTROPY_reduction].int64 != LOSS_NONE)
        result->output[0].shape_rule = SHAPE_ONE;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const unsigned inputs[] = {BINARY_CROSS_ENTROPY_self, BINARY_CROSS_ENTROPY_target,
                                      BINARY_CROSS_ENTROPY_weight};
    const struct shape shape = shape_of(&call->tensor[BINARY_CROSS_ENTROPY_self]);
    const double divisor = loss_divisor(call, &shape);
    (void)result;
    if (call->argument[BINARY_CROSS_ENTROPY_reduction].int64 == LOSS_NONE)
        return elementwise_plan(call, ACL_DOUBLE, &divisor, sizeof divisor);
    return reduce_plan(call, &sums, inputs, 3, &shape, ALL_AXES, ACL_DOUBLE, &divisor, sizeof divisor);
}

/* What is given promotes. */
static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    unsigned input[] = {BINARY_CROSS_ENTROPY_BACKWARD_gradOutput, BINARY_CROSS_ENTROPY_BACKWARD_self,
                        BINARY_CROSS_ENTROPY_BACKWARD_target, BINARY_CROSS_ENTROPY_BACKWARD_weightOptional};
    TRY(loss_check_tensors(call, BINARY_CROSS_ENTROPY_BACKWARD_self, false));
    TRY(check_promotion(call, input, call_has(call, BINARY_CROSS_ENTROPY_BACKWARD_weightOptional) ? 4 : 3,
                        &result->computed));
    for (unsigned i = BINARY_CROSS_ENTROPY_BACKWARD_gradOutput;
         i <= BINARY_CROSS_ENTROPY_BACKWARD_weightOptional; i++)
        TRY(loss_check_fits(call, i, BINARY_CROSS_ENTROPY_BACKWARD_self));
    TRY(check_choice(call, BINARY_CROSS_ENTROPY_BACKWARD_reduction));
    result_add(result, result->computed, DTYPE_CASTABLE)->like = BINARY_CROSS_ENTROPY_BACKWARD_self;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    const struct shape shape = shape_of(&call->tensor[BINARY_CROSS_ENTROPY_BACKWARD_self]);
    const double divisor = loss_divisor(call, &shape);
    (void)result;
    return elementwise_plan(call, ACL_DOUBLE, &divisor, sizeof divisor);
}

FUNCTION_OF(aclnnBinaryCrossEntropy, BINARY_CROSS_ENTROPY, .stem = "binary_cross_entropy",
            .promise = &promise_sum, .family = FAMILY_COMPOSITE, ELEMENTWISE_RUN(&losses), .infer = infer,
            .plan = plan);

FUNCTION_OF(aclnnBinaryCrossEntropyBackward, BINARY_CROSS_ENTROPY_BACKWARD,
            .stem = "binary_cross_entropy_backward", .promise = &promise_sum, .family = FAMILY_COMPOSITE,
            ELEMENTWISE_RUN(&gradients), .infer = infer_backward, .plan = plan_backward);

#endif
