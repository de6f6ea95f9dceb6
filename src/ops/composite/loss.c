/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The contract of losses and of their gradients.
 */
#include "ops/composite/loss.h"

#include "ops/check.h"
#include "tensor/dtype.h"

const char *const loss_reductions[] = {"none", "mean", "sum", NULL};
const char *const loss_batch_reductions[] = {"none", "mean", "sum", "batchmean", NULL};

enum { NUMBERS = REDUCE_PARAMETER_BYTES / sizeof(double) };

unsigned loss_parameter(const struct call *call)
{
    unsigned parameter = 0;
    while (call->function->parameter[parameter].choices == NULL)
        parameter++;
    return parameter;
}

static int64_t reduction_of(const struct call *call)
{
    return call->argument[loss_parameter(call)].int64;
}

/* A batch is what the first dim counts. The mean of nothing is NaN, as 0 / 0 is. */
double loss_divisor(const struct call *call, const struct shape *shape)
{
    const int64_t reduction = reduction_of(call);
    double count = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        count *= (double)shape->dim[i];
    if (reduction == LOSS_MEAN)
        return count;
    if (reduction == LOSS_BATCH_MEAN)
        return count == 0 ? 0 : shape->rank > 0 ? (double)shape->dim[0] : 1;
    return 1;
}

void loss_divide(void *state, size_t outputs, uint64_t elements, aclDataType computed, const void *parameters)
{
    const double divisor = *(const double *)parameters;
    (void)elements;
    for (size_t i = 0; arithmetic_of(computed) < ARITHMETICS && i < outputs; i++)
        ((double *)state)[i] /= divisor;
}

aclnnStatus loss_check_tensors(const struct call *call, unsigned self, bool is_of_one_dtype)
{
    unsigned input[PARAMETERS_MAX];
    const unsigned count = formula_inputs(call, input);
    for (unsigned i = 0; i < count; i++)
        TRY(check_dtype(call, input[i]));
    for (unsigned i = 0; is_of_one_dtype && i < count; i++)
        TRY(check_same_dtype(call, input[i], self, NULL));
    for (unsigned i = 0; i < count; i++)
        TRY(check_rank(call, input[i]));
    return ACLNN_SUCCESS;
}

aclnnStatus loss_check_fits(const struct call *call, unsigned parameter, unsigned self)
{
    const struct shape own = shape_of(call_view(call, parameter)), whole = shape_of(&call->tensor[self]);
    return broadcasts_to(&own, &whole) ? ACLNN_SUCCESS : tell_fit(call, parameter, &whole, "self");
}

static void shape_together(const struct call *call, struct shape *shape)
{
    unsigned input[PARAMETERS_MAX];
    const unsigned count = formula_inputs(call, input);
    (void)check_broadcast_together(call, input, count, shape); /* which infer has checked */
}

static struct formula_numbers numbers_of(const struct call *call, aclDataType computed)
{
    struct formula_numbers numbers = formula_numbers_of(call, computed);
    struct shape shape;
    shape_together(call, &shape);
    numbers.fp64[0] = loss_divisor(call, &shape);
    return numbers;
}

aclnnStatus loss_infer_gradient(const struct call *call, struct result *result)
{
    TRY(formula_infer(call, result));
    return check_choice(call, loss_parameter(call));
}

aclnnStatus loss_infer(const struct call *call, struct result *result)
{
    TRY(loss_infer_gradient(call, result));
    const int64_t reduction = reduction_of(call);
    if (reduction == LOSS_MEAN && arithmetic_of(result->computed) >= ARITHMETICS)
        return refuse(call, "self and target promote to %s, of which there is no mean",
                      dtype_name(result->computed));
    struct output *output = &result->output[0];
    if (reduction != LOSS_NONE) {
        output->shape_rule = SHAPE_ONE;
        output->shape.rank = 0;
    }
    return ACLNN_SUCCESS;
}

aclnnStatus loss_plan(const struct call *call, const struct result *result)
{
    const struct loss *loss = call->function->of_family;
    const struct formula_numbers numbers = numbers_of(call, result->computed);
    if (reduction_of(call) == LOSS_NONE)
        return elementwise_plan(call, result->computed, &numbers, sizeof numbers);
    unsigned input[PARAMETERS_MAX];
    const unsigned count = formula_inputs(call, input);
    struct shape shape;
    shape_together(call, &shape);
    /* Losses that are functions, whose time is not that of conversions, have one loop, in DOUBLE. */
    const struct reduce_kernels *kernels = loss->reduction.kernels[call->settings->isa];
    const enum arithmetic arithmetic = arithmetic_of(result->computed);
    const aclDataType computed = kernels->of[arithmetic].along != NULL ? result->computed : ACL_DOUBLE;
    _Static_assert((int)NUMBERS >= (int)FORMULA_NUMBERS_MAX, "a reduction has room for the numbers");
    return reduce_plan(call, &loss->reduction, input, count, &shape, ALL_AXES, computed, numbers.fp64,
                       sizeof numbers.fp64);
}

aclnnStatus loss_plan_gradient(const struct call *call, const struct result *result)
{
    const struct formula_numbers numbers = numbers_of(call, result->computed);
    return elementwise_plan(call, result->computed, &numbers, sizeof numbers);
}
