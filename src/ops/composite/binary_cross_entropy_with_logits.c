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
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths_logarithm.h"
#include "simd/reduce.h"
#include "simd/row.h"

static inline doubles cross_entropy(doubles x, doubles y, doubles w, doubles p)
{
    const double infinity = (double)INFINITY;
    doubles rest = maths_log1p(maths_exp(-absolute(x)));
    doubles above = rest + at_least(x, 0), below = rest + at_least(-x, 0);
    doubles value = (1 - y) * above + p * y * below;
    longs is_infinite = (absolute(x) == infinity) | (absolute(y) == infinity) | (absolute(p) == infinity);
    return w * choose(is_infinite, (1 - y) * x + (1 + (p - 1) * y) * below, value);
}

static void losses(const void *const *input, void *output, size_t count, const void *parameters,
                   bool non_temporal)
{
    (void)parameters, (void)non_temporal;
    for (size_t i = 0; i < count; i += LANES) {
        doubles value[4];
        for (int k = 0; k < 4; k++)
            value[k] = row_load(ARITHMETIC_FP64, input[k], i, count - i);
        row_store(ARITHMETIC_FP64, output, i, cross_entropy(value[0], value[1], value[2], value[3]),
                  count - i, true);
    }
}

KERNELS(cross_entropy) = {
    .run = {[ACCURACY_DEFAULT][ARITHMETIC_FP64] = losses, [ACCURACY_EXACT][ARITHMETIC_FP64] = losses}};

static inline longs add_loss(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return (longs)((doubles)state +
                   cross_entropy((doubles)input[0], (doubles)input[1], (doubles)input[2], (doubles)input[3]));
}

static inline longs merge(longs state, longs other)
{
    return (longs)((doubles)state + (doubles)other);
}

static const struct reduce_steps steps = {add_loss, merge, 4};
REDUCE_LOOPS(sum, ARITHMETIC_FP64, 1, steps)
REDUCE_KERNELS(cross_entropy) = {.of = {[ARITHMETIC_FP64] = REDUCE_KERNEL(sum, 1, 0)}};

#else

/* The contract. */
#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"
#include "ops/check.h"
#include "ops/pointwise/elementwise.h"
#include "ops/check_message.h"
#include "ops/reduction/reduce.h"

enum { SELF, TARGET, WEIGHT, POS_WEIGHT, REDUCTION, OUT, INPUTS = REDUCTION };
enum { NONE, MEAN };

static const char *const reductions[] = {"none", "mean", "sum", NULL};

KERNEL_LEVELS(cross_entropy);
REDUCE_LEVELS(cross_entropy);

static void divide(void *state, size_t outputs, uint64_t elements, aclDataType computed,
                   const void *parameters)
{
    (void)computed, (void)parameters;
    for (size_t i = 0; i < outputs; i++)
        ((double *)state)[i] /= (double)elements;
}

static const struct elementwise elementwise = {cross_entropy_kernels, .cost_ps = {5000, 5000}};
static const struct reduction sum = {cross_entropy_reduce_kernels, .element_ps = 1250};
static const struct reduction mean = {cross_entropy_reduce_kernels, .element_ps = 1250, .end = divide};

static aclnnStatus check_weight(const struct call *call, unsigned weight)
{
    const struct shape own = shape_of(&call->tensor[weight]), self = shape_of(&call->tensor[SELF]);
    return broadcasts_to(&own, &self) ? ACLNN_SUCCESS : tell_fit(call, weight, &self, "self");
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    for (unsigned i = 0; i < INPUTS; i++)
        if (call_has(call, i))
            TRY(check_dtype(call, i));
    for (unsigned i = TARGET; i < INPUTS; i++)
        if (call_has(call, i))
            TRY(check_same_dtype(call, i, SELF, NULL));
    for (unsigned i = 0; i < INPUTS; i++)
        if (call_has(call, i))
            TRY(check_rank(call, i));
    TRY(check_same_shape(call, TARGET, SELF, NULL));
    for (unsigned i = WEIGHT; i < INPUTS; i++)
        if (call_has(call, i))
            TRY(check_weight(call, i));
    TRY(check_choice(call, REDUCTION));
    result_like(result, call, SELF);
    if (call->argument[REDUCTION].int64 != NONE)
        result->output[0].shape_rule = SHAPE_ONE; /* of rank 0, as it begins */
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const unsigned inputs[] = {SELF, TARGET, WEIGHT, POS_WEIGHT};
    const int64_t reduction = call->argument[REDUCTION].int64;
    (void)result;
    if (reduction == NONE)
        return elementwise_plan(call, ACL_DOUBLE, NULL, 0);
    const struct shape shape = shape_of(&call->tensor[SELF]);
    return reduce_plan(call, reduction == MEAN ? &mean : &sum, inputs, INPUTS, &shape, ALL_AXES, ACL_DOUBLE,
                       NULL, 0);
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16),
    [TARGET] = READ("target", &dtypes_fp32_fp16_bf16),
    [WEIGHT] = READ("weightOptional", &dtypes_fp32_fp16_bf16, .is_optional = true),
    [POS_WEIGHT] = READ("posWeightOptional", &dtypes_fp32_fp16_bf16, .is_optional = true),
    [REDUCTION] = CHOICE("reduction", reductions, "mean"),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnBinaryCrossEntropyWithLogits,
         (const aclTensor *self, const aclTensor *target, const aclTensor *weightOptional,
          const aclTensor *posWeightOptional, int64_t reduction, aclTensor *out),
         (ARG(self), ARG(target), ARG(weightOptional), ARG(posWeightOptional), ARG(reduction), ARG(out)),
         .stem = "binary_cross_entropy_with_logits", PARAMETERS(parameters), .promise = &promise_sum,
         .family = FAMILY_COMPOSITE, ELEMENTWISE_RUN(&elementwise), .infer = infer, .plan = plan);

#endif
