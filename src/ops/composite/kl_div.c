/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The Kullback-Leibler divergence of logarithms x from targets y, y (ln y - x), which is 0 - 0 x where y is 0
 * and NaN below, or of targets that are logarithms e^y (y - x); its sum and means; and its gradients by x
 * and y, divided by what a mean divides by:
 *
 *     by x    -g e^y of logarithms, else -g y where y > 0 and 0 elsewhere
 *     by y    g e^y (y - x + 1) of logarithms, else g (ln y - x + 1), 0 where y is 0
 *
 * What x, or y, was broadcast over is summed in its gradient. Everything is computed in doubles.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/blocks.h"
#include "simd/maths/logarithm.h"
#include "simd/loops/reduce_formula.h"
#include "simd/maths/short.h"

/* number[1]: whether y is a logarithm. */
static inline doubles formula_kl_div(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const doubles y = x[1];
    if (number[1] != 0)
        return short_exp(y) * (y - x[0]);
    return choose(y == 0, broadcast(0), y * maths_log(y)) - y * x[0];
}

static inline doubles formula_kl_div_backward(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const doubles y = x[2];
    const doubles factor = number[1] != 0 ? short_exp(y) : choose(y > 0, y, broadcast(0));
    return choose(factor == 0, broadcast(0), -x[0] * factor / number[0]);
}

static inline doubles formula_kl_div_target_backward(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const doubles y = x[2];
    if (number[1] != 0)
        return x[0] * (short_exp(y) * (y - x[1] + 1)) / number[0];
    return choose(y == 0, broadcast(0), x[0] * (maths_log(y) - x[1] + 1) / number[0]);
}

FORMULA_KERNELS(kl_div, 2, .doubles = formula_kl_div)
FORMULA_KERNELS(kl_div_backward, 3, .doubles = formula_kl_div_backward)
FORMULA_KERNELS(kl_div_target_backward, 3, .doubles = formula_kl_div_target_backward)

#define ADD(stem, inputs)                                      \
    REDUCE_FORMULA(stem, formula_##stem, inputs)               \
    REDUCE_LOOPS(stem##_sum, ARITHMETIC_FP64, 1, stem##_steps) \
    REDUCE_KERNELS(stem) = {.of = {[ARITHMETIC_FP64] = REDUCE_KERNEL(stem##_sum, 1, 0)}};
ADD(kl_div, 2)
ADD(kl_div_backward, 3)
ADD(kl_div_target_backward, 3)

#else

/* The contract. */
#include "aclnnop/aclnn_kl_div.h"
#include "aclnnop/aclnn_kl_div_backward.h"
#include "aclnnop/aclnn_kl_div_target_backward.h"
#include "ops/composite/loss.h"
#include "ops/signature.h"

#define BACKWARD_PARAMETERS(X, of, out, dtypes)                                \
    X(of, IN, gradOutput, &dtypes_fp32_fp16_bf16)                              \
    X(of, IN, self, &dtypes_fp32_fp16_bf16)                                    \
    X(of, IN, target, &dtypes_fp32_fp16_bf16)                                  \
    X(of, INT64, reduction, .choices = loss_batch_reductions, .usual = "mean") \
    X(of, BOOL, logTarget, .usual = "false")                                   \
    X(of, OUT, out, dtypes)
#define KL_DIV(X, of)                                                          \
    X(of, IN, self, &dtypes_fp32_fp16_bf16)                                    \
    X(of, IN, target, &dtypes_fp32_fp16_bf16)                                  \
    X(of, INT64, reduction, .choices = loss_batch_reductions, .usual = "mean") \
    X(of, BOOL, logTarget, .usual = "false")                                   \
    X(of, OUT, out, &dtypes_floats_complex)
SIGNATURE(KL_DIV)
#define KL_DIV_BACKWARD(X, of) BACKWARD_PARAMETERS(X, of, out, &dtypes_floats_complex)
SIGNATURE(KL_DIV_BACKWARD)

#define LOSS(stem, end_)                                                                        \
    KERNEL_LEVELS(stem);                                                                        \
    REDUCE_LEVELS(stem);                                                                        \
    static const struct loss stem = {                                                           \
        {{stem##_kernels, .cost_ps = {2500, 2500}}, .out = DTYPE_CASTABLE, .broadcasts = true}, \
        {stem##_reduce_kernels, .element_ps = 1200, .end = (end_)}}

LOSS(kl_div, loss_divide);
LOSS(kl_div_backward, NULL); /* which the formula divides */
LOSS(kl_div_target_backward, NULL);

static aclnnStatus infer_of(const struct call *call, struct result *result, unsigned of, enum dtype_rule rule)
{
    static const unsigned inputs[] = {KL_DIV_BACKWARD_gradOutput, KL_DIV_BACKWARD_self,
                                      KL_DIV_BACKWARD_target};
    struct shape shape;
    TRY(loss_check_tensors(call, of, false));
    TRY(check_promotion(call, inputs, 3, &result->computed));
    TRY(check_broadcast_together(call, inputs + 1, 2, &shape));
    const struct shape gradient = shape_of(&call->tensor[KL_DIV_BACKWARD_gradOutput]);
    if (!broadcasts_to(&gradient, &shape))
        return tell_fit(call, KL_DIV_BACKWARD_gradOutput, &shape, "self and target together");
    TRY(check_choice(call, KL_DIV_BACKWARD_reduction));
    result_add(result, call->tensor[of].dtype, rule)->like = of;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    return infer_of(call, result, KL_DIV_BACKWARD_self, DTYPE_CASTABLE);
}

static aclnnStatus infer_target_backward(const struct call *call, struct result *result)
{
    return infer_of(call, result, KL_DIV_BACKWARD_target, DTYPE_EQUAL);
}

/* The dims that a view lacks, or has once and the shape often. */
static axes repeated(const struct tensor_view *view, const struct shape *shape)
{
    const uint32_t missing = shape->rank - view->rank;
    axes dims = 0;
    for (uint32_t dim = 0; dim < shape->rank; dim++)
        if (dim < missing || view->shape[dim - missing] != shape->dim[dim])
            dims |= UINT32_C(1) << dim;
    return dims;
}

static aclnnStatus plan_of(const struct call *call, const struct result *result, unsigned of)
{
    static const unsigned inputs[] = {KL_DIV_BACKWARD_gradOutput, KL_DIV_BACKWARD_self,
                                      KL_DIV_BACKWARD_target};
    const struct loss *loss = call->function->of_family;
    struct formula_numbers numbers = formula_numbers_of(call, result->computed);
    struct shape shape;
    (void)check_broadcast_together(call, inputs + 1, 2, &shape); /* which infer has checked */
    numbers.fp64[0] = loss_divisor(call, &shape);
    const axes summed = repeated(&call->tensor[of], &shape);
    if (summed == 0)
        return elementwise_plan(call, result->computed, &numbers, sizeof numbers);
    return reduce_plan(call, &loss->reduction, inputs, 3, &shape, summed, ACL_DOUBLE, numbers.fp64,
                       sizeof numbers.fp64);
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    return plan_of(call, result, KL_DIV_BACKWARD_self);
}

static aclnnStatus plan_target_backward(const struct call *call, const struct result *result)
{
    return plan_of(call, result, KL_DIV_BACKWARD_target);
}

#define KL_DIV_TARGET_BACKWARD(X, of) BACKWARD_PARAMETERS(X, of, gradTarget, &dtypes_fp32_fp16_bf16)
SIGNATURE(KL_DIV_TARGET_BACKWARD)

FUNCTION_OF(aclnnKlDiv, KL_DIV, .stem = "kl_div", OF_LOSS(kl_div));

FUNCTION_OF(aclnnKlDivBackward, KL_DIV_BACKWARD, .stem = "kl_div_backward", .promise = &promise_sum,
            .family = FAMILY_COMPOSITE, ELEMENTWISE_RUN(&kl_div_backward.formula.elementwise),
            .infer = infer_backward, .plan = plan_backward);

FUNCTION_OF(aclnnKlDivTargetBackward, KL_DIV_TARGET_BACKWARD, .stem = "kl_div_target_backward",
            .promise = &promise_sum, .family = FAMILY_COMPOSITE,
            ELEMENTWISE_RUN(&kl_div_target_backward.formula.elementwise), .infer = infer_target_backward,
            .plan = plan_target_backward);

#endif
