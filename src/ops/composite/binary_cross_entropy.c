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
#include "simd/loops/reduce.h"

/* What is less becomes -100; NaN stays. */
static inline doubles limited(doubles logarithm)
{
    return choose(logarithm < -100, broadcast(-100), logarithm);
}

static inline doubles loss(const doubles *x, const double *number)
{
    (void)number;
    return -x[2] * (x[1] * limited(maths_log(x[0])) + (1 - x[1]) * limited(maths_log1p(-x[0])));
}

static inline doubles gradient(const doubles *x, const double *number)
{
    const doubles spread = x[1] * (1 - x[1]);
    return x[0] * x[3] * (x[1] - x[2]) / choose(spread < 1e-12, broadcast(1e-12), spread) / number[0];
}

MAP_DOUBLES(binary_cross_entropy, 3, loss)
MAP_DOUBLES(binary_cross_entropy_backward, 4, gradient)

static inline longs merge(longs state, longs other)
{
    return (longs)((doubles)state + (doubles)other);
}

static inline longs add_loss(longs state, const longs *input, const void *parameters)
{
    const doubles x[] = {(doubles)input[0], (doubles)input[1], (doubles)input[2]};
    return merge(state, (longs)loss(x, parameters));
}

static const struct reduce_steps steps = {add_loss, merge, 3};
REDUCE_LOOPS(sum, ARITHMETIC_FP64, 1, steps)
REDUCE_KERNELS(binary_cross_entropy) = {.of = {[ARITHMETIC_FP64] = REDUCE_KERNEL(sum, 1, 0)}};

#else

/* The contract. */
#include "aclnnop/aclnn_binary_cross_entropy.h"
#include "aclnnop/aclnn_binary_cross_entropy_backward.h"
#include "ops/composite/loss.h"

enum { SELF, TARGET, WEIGHT, REDUCTION, OUT };
enum { BACK_GRADIENT, BACK_SELF, BACK_TARGET, BACK_WEIGHT, BACK_REDUCTION, BACK_OUT };

KERNEL_LEVELS(binary_cross_entropy);
KERNEL_LEVELS(binary_cross_entropy_backward);
REDUCE_LEVELS(binary_cross_entropy);

static const struct elementwise losses = {binary_cross_entropy_kernels, .cost_ps = {5000, 5000}};
static const struct elementwise gradients = {binary_cross_entropy_backward_kernels, .cost_ps = {1500, 1500}};
static const struct reduction sums = {binary_cross_entropy_reduce_kernels, .element_ps = 1600,
                                      .end = loss_divide};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(loss_check_tensors(call, SELF, true));
    TRY(check_same_shape(call, TARGET, SELF, NULL));
    TRY(loss_check_fits(call, WEIGHT, SELF));
    TRY(check_choice(call, REDUCTION));
    result_like(result, call, SELF);
    if (call->argument[REDUCTION].int64 != LOSS_NONE)
        result->output[0].shape_rule = SHAPE_ONE;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const unsigned inputs[] = {SELF, TARGET, WEIGHT};
    const struct shape shape = shape_of(&call->tensor[SELF]);
    const double divisor = loss_divisor(call, &shape);
    (void)result;
    if (call->argument[REDUCTION].int64 == LOSS_NONE)
        return elementwise_plan(call, ACL_DOUBLE, &divisor, sizeof divisor);
    return reduce_plan(call, &sums, inputs, 3, &shape, ALL_AXES, ACL_DOUBLE, &divisor, sizeof divisor);
}

/* What is given promotes. */
static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    unsigned input[] = {BACK_GRADIENT, BACK_SELF, BACK_TARGET, BACK_WEIGHT};
    TRY(loss_check_tensors(call, BACK_SELF, false));
    TRY(check_promotion(call, input, call_has(call, BACK_WEIGHT) ? 4 : 3, &result->computed));
    for (unsigned i = BACK_GRADIENT; i <= BACK_WEIGHT; i++)
        TRY(loss_check_fits(call, i, BACK_SELF));
    TRY(check_choice(call, BACK_REDUCTION));
    result_add(result, result->computed, DTYPE_CASTABLE)->like = BACK_SELF;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    const struct shape shape = shape_of(&call->tensor[BACK_SELF]);
    const double divisor = loss_divisor(call, &shape);
    (void)result;
    return elementwise_plan(call, ACL_DOUBLE, &divisor, sizeof divisor);
}

static const struct parameter parameters[] = {
    [SELF] = READ_FLOATS("self"),
    [TARGET] = READ_FLOATS("target"),
    [WEIGHT] = READ("weight", &dtypes_fp32_fp16_bf16, .is_optional = true),
    [REDUCTION] = CHOICE("reduction", loss_reductions, "mean"),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
};

static const struct parameter backward_parameters[] = {
    [BACK_GRADIENT] = READ_FLOATS("gradOutput"),
    [BACK_SELF] = READ_FLOATS("self"),
    [BACK_TARGET] = READ_FLOATS("target"),
    [BACK_WEIGHT] = READ("weightOptional", &dtypes_fp32_fp16_bf16, .is_optional = true),
    [BACK_REDUCTION] = CHOICE("reduction", loss_reductions, "mean"),
    [BACK_OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnBinaryCrossEntropy,
         (const aclTensor *self, const aclTensor *target, const aclTensor *weight, int64_t reduction,
          aclTensor *out),
         (ARG(self), ARG(target), ARG(weight), ARG(reduction), ARG(out)), .stem = "binary_cross_entropy",
         PARAMETERS(parameters), .promise = &promise_sum, .family = FAMILY_COMPOSITE,
         ELEMENTWISE_RUN(&losses), .infer = infer, .plan = plan);

FUNCTION(aclnnBinaryCrossEntropyBackward,
         (const aclTensor *gradOutput, const aclTensor *self, const aclTensor *target,
          const aclTensor *weightOptional, int64_t reduction, aclTensor *out),
         (ARG(gradOutput), ARG(self), ARG(target), ARG(weightOptional), ARG(reduction), ARG(out)),
         .stem = "binary_cross_entropy_backward", PARAMETERS(backward_parameters), .promise = &promise_sum,
         .family = FAMILY_COMPOSITE, ELEMENTWISE_RUN(&gradients), .infer = infer_backward,
         .plan = plan_backward);

#endif
