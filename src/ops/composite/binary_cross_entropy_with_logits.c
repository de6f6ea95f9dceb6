/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * l = w ((1 - y) x + (1 + (p - 1) y) (ln(1 + e^-|x|) + max(-x, 0))); out = l, or the sum of all l, or their
 * mean.
 *
 * With s(x) = ln(1 + e^x) = ln(1 + e^-|x|) + max(x, 0) and x = s(x) - s(-x) the bracket is
 * (1 - y) s(x) + p y s(-x): of targets from 0 to 1 both terms have one sign, so that nothing cancels. It is
 * computed in doubles with a few units of error and rounded once. Where something is infinite the formula is
 * taken as it stands, and gives NaN where that multiplies 0 by infinity.
 *
 * Its gradients by x and y, divided by the number of losses where their mean was taken, are, in the same way,
 * with 1 - sigma(x) = sigma(-x) and ln sigma(x) = -s(-x):
 *     g w ((p y + 1 - y) sigma(x) - p y)    = g w ((1 - y) sigma(x) - p y sigma(-x))
 *     g w (ln sigma(-x) - p ln sigma(x))    = g w ((p - 1) ln(1 + e^-|x|) - (x below 0 ? p x : x))
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "ops/composite/map_doubles.h"
#include "simd/maths/logarithm.h"
#include "simd/loops/reduce_formula.h"
#include "simd/maths/short.h"

static inline doubles cross_entropy(doubles x, doubles y, doubles w, doubles p)
{
    const double infinity = (double)INFINITY;
    doubles rest = short_log1p(short_exp(-absolute(x)));
    doubles above = rest + at_least(x, 0), below = rest + at_least(-x, 0);
    doubles value = (1 - y) * above + p * y * below;
    longs is_infinite = (absolute(x) == infinity) | (absolute(y) == infinity) | (absolute(p) == infinity);
    return w * choose(is_infinite, (1 - y) * x + (1 + (p - 1) * y) * below, value);
}

static inline doubles loss(const doubles *x, const void *prepared)
{
    (void)prepared;
    return cross_entropy(x[0], x[1], x[2], x[3]);
}

/* The gradient by self, of x[0] = g to x[4] = p. */
static inline doubles gradient(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const double infinity = (double)INFINITY;
    const doubles power = short_exp(-absolute(x[1])), near = 1 / (1 + power), far = power * near;
    const longs is_below = x[1] < 0;
    const doubles above = choose(is_below, far, near), below = choose(is_below, near, far);
    const longs is_infinite = (absolute(x[2]) == infinity) | (absolute(x[4]) == infinity);
    const doubles value = choose(is_infinite, (x[4] * x[2] + 1 - x[2]) * above - x[4] * x[2],
                                 (1 - x[2]) * above - x[4] * x[2] * below);
    return x[0] * x[3] * value / number[0];
}

static inline doubles target_gradient(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const doubles rest = maths_log1p(maths_exp(-absolute(x[1])));
    return x[0] * x[3] * ((x[4] - 1) * rest - choose(x[1] < 0, x[4] * x[1], x[1])) / number[0];
}

MAP_DOUBLES(cross_entropy, 4, loss)
MAP_DOUBLES(cross_entropy_backward, 5, gradient)
MAP_DOUBLES(cross_entropy_target_backward, 5, target_gradient)

REDUCE_LONG_FORMULA(sum, loss, 4)
REDUCE_LOOPS(sum, ARITHMETIC_FP64, 1, sum_steps)
REDUCE_KERNELS(cross_entropy) = {.of = {[ARITHMETIC_FP64] = REDUCE_KERNEL(sum, 1, 0)}};

#else

/* The contract. */
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits_backward.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits_target_backward.h"
#include "ops/composite/loss.h"
#include "ops/signature.h"

#define LOGITS(X, of)                                                         \
    X(of, IN, self, &dtypes_fp32_fp16_bf16)                                   \
    X(of, IN, target, &dtypes_fp32_fp16_bf16)                                 \
    X(of, IN, weightOptional, &dtypes_fp32_fp16_bf16, .is_optional = true)    \
    X(of, IN, posWeightOptional, &dtypes_fp32_fp16_bf16, .is_optional = true) \
    LOSS_REDUCTION(X, of)                                                     \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(LOGITS)
#define BACKWARD_PARAMETERS(X, of, out)                                       \
    X(of, IN, gradOutput, &dtypes_fp32_fp16_bf16)                             \
    X(of, IN, self, &dtypes_fp32_fp16_bf16)                                   \
    X(of, IN, target, &dtypes_fp32_fp16_bf16)                                 \
    X(of, IN, weightOptional, &dtypes_fp32_fp16_bf16, .is_optional = true)    \
    X(of, IN, posWeightOptional, &dtypes_fp32_fp16_bf16, .is_optional = true) \
    LOSS_REDUCTION(X, of)                                                     \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
#define LOGITS_BACKWARD(X, of) BACKWARD_PARAMETERS(X, of, out)
SIGNATURE(LOGITS_BACKWARD)

KERNEL_LEVELS(cross_entropy);
KERNEL_LEVELS(cross_entropy_backward);
KERNEL_LEVELS(cross_entropy_target_backward);
REDUCE_LEVELS(cross_entropy);

static const struct elementwise losses = {cross_entropy_kernels, .cost_ps = {5000, 5000}};
static const struct elementwise gradients = {cross_entropy_backward_kernels, .cost_ps = {3000, 3000}};
static const struct elementwise target_gradients = {cross_entropy_target_backward_kernels,
                                                    .cost_ps = {5000, 5000}};
static const struct reduction sums = {cross_entropy_reduce_kernels, .element_ps = 1250, .end = loss_divide};

static aclnnStatus check_shapes(const struct call *call, unsigned self)
{
    TRY(check_same_shape(call, self + LOGITS_target, self, NULL));
    for (unsigned i = self + LOGITS_weightOptional; i <= self + LOGITS_posWeightOptional; i++)
        TRY(loss_check_fits(call, i, self));
    return check_choice(call, self + LOGITS_reduction);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(loss_check_tensors(call, LOGITS_self, true));
    TRY(check_shapes(call, LOGITS_self));
    result_like(result, call, LOGITS_self);
    if (call->argument[LOGITS_reduction].int64 != LOSS_NONE)
        result->output[0].shape_rule = SHAPE_ONE; /* of rank 0, as it begins */
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const unsigned inputs[] = {LOGITS_self, LOGITS_target, LOGITS_weightOptional,
                                      LOGITS_posWeightOptional};
    const struct shape shape = shape_of(&call->tensor[LOGITS_self]);
    const double divisor = loss_divisor(call, &shape);
    (void)result;
    if (call->argument[LOGITS_reduction].int64 == LOSS_NONE)
        return elementwise_plan(call, ACL_DOUBLE, NULL, 0);
    return reduce_plan(call, &sums, inputs, LOGITS_reduction, &shape, ALL_AXES, ACL_DOUBLE, &divisor,
                       sizeof divisor);
}

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    TRY(loss_check_tensors(call, LOGITS_BACKWARD_self, true));
    TRY(loss_check_fits(call, LOGITS_BACKWARD_gradOutput, LOGITS_BACKWARD_self));
    TRY(check_shapes(call, LOGITS_BACKWARD_self));
    result_like(result, call, LOGITS_BACKWARD_self);
    return ACLNN_SUCCESS;
}

/* What is given promotes. */
static aclnnStatus infer_target_backward(const struct call *call, struct result *result)
{
    unsigned input[PARAMETERS_MAX];
    const unsigned count = formula_inputs(call, input);
    TRY(loss_check_tensors(call, LOGITS_BACKWARD_self, false));
    TRY(check_promotion(call, input, count, &result->computed));
    TRY(loss_check_fits(call, LOGITS_BACKWARD_gradOutput, LOGITS_BACKWARD_self));
    TRY(check_shapes(call, LOGITS_BACKWARD_self));
    result_add(result, result->computed, DTYPE_CASTABLE)->like = LOGITS_BACKWARD_self;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    const struct shape shape = shape_of(&call->tensor[LOGITS_BACKWARD_self]);
    const double divisor = loss_divisor(call, &shape);
    (void)result;
    return elementwise_plan(call, ACL_DOUBLE, &divisor, sizeof divisor);
}

#define TARGET_BACKWARD(X, of) BACKWARD_PARAMETERS(X, of, gradTarget)
SIGNATURE(TARGET_BACKWARD)

FUNCTION_OF(aclnnBinaryCrossEntropyWithLogits, LOGITS, .stem = "binary_cross_entropy_with_logits",
            .promise = &promise_sum, .family = FAMILY_COMPOSITE, ELEMENTWISE_RUN(&losses), .infer = infer,
            .plan = plan);

FUNCTION_OF(aclnnBinaryCrossEntropyWithLogitsBackward, LOGITS_BACKWARD,
            .stem = "binary_cross_entropy_with_logits_backward", .promise = &promise_sum,
            .family = FAMILY_COMPOSITE, ELEMENTWISE_RUN(&gradients), .infer = infer_backward,
            .plan = plan_backward);

FUNCTION_OF(aclnnBinaryCrossEntropyWithLogitsTargetBackward, TARGET_BACKWARD,
            .stem = "binary_cross_entropy_with_logits_target_backward", .promise = &promise_sum,
            .family = FAMILY_COMPOSITE, ELEMENTWISE_RUN(&target_gradients), .infer = infer_target_backward,
            .plan = plan_backward);

#endif
