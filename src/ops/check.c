/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rules for arguments. What is found wrong is told by check_message.c; here are the rules alone.
 */
#include "ops/check.h"

#include "ops/check_message.h"
#include "ops/overlap.h"
#include "ops/promote.h"
#include "ops/scalar.h"
#include "tensor/dtype.h"

static bool is_tensor(const struct parameter *parameter)
{
    return parameter->kind == PARAMETER_INPUT || parameter->kind == PARAMETER_OUTPUT;
}

static bool is_in(const struct dtype_set *set, enum product product, aclDataType dtype)
{
    return dtype >= 0 && dtype < 64 && (set->on[product] & DTYPE_BIT(dtype)) != 0;
}

static struct shape shape_of(const struct tensor_view *view)
{
    struct shape shape = {.rank = view->rank};
    for (uint32_t i = 0; i < view->rank; i++)
        shape.dim[i] = view->shape[i];
    return shape;
}

static aclnnStatus check_not_null(const struct call *call)
{
    const struct operator_description *description = call->description;
    if (call->workspace_bytes == NULL || call->executor == NULL)
        return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL; the address of a variable is expected",
                    description->operation.name,
                    call->workspace_bytes == NULL ? "workspaceSize" : "executor");
    for (unsigned i = 0; i < description->parameter_count; i++) {
        const struct parameter *parameter = &description->parameter[i];
        bool is_missing = is_tensor(parameter)
                              ? call->argument[i].tensor == NULL
                              : parameter->kind == PARAMETER_SCALAR && call->argument[i].scalar == NULL &&
                                    !parameter->is_optional;
        if (is_missing)
            return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL; a %s is expected",
                        description->operation.name, parameter->name,
                        is_tensor(parameter) ? "tensor" : "scalar");
    }
    return ACLNN_SUCCESS;
}

/* Reads every handle once; from here on the call works on copies alone. */
static aclnnStatus read_handles(struct call *call)
{
    const struct operator_description *description = call->description;
    for (unsigned i = 0; i < description->parameter_count; i++) {
        const struct parameter *parameter = &description->parameter[i];
        if (is_tensor(parameter)) {
            const aclTensor *tensor = call->argument[i].tensor;
            if (!tensor_read(tensor, &call->tensor[i]))
                return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s %s; a live tensor is expected",
                            description->operation.name, parameter->name, tensor_fault(tensor));
        } else if (parameter->kind == PARAMETER_SCALAR && call->argument[i].scalar != NULL) {
            const aclScalar *scalar = call->argument[i].scalar;
            if (!scalar_read(scalar, &call->scalar[i]))
                return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s %s; a live scalar is expected",
                            description->operation.name, parameter->name, scalar_fault(scalar));
        }
    }
    return ACLNN_SUCCESS;
}

aclnnStatus check_arguments(struct call *call, const struct operator_description *description,
                            const union argument *argument, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    call->description = description;
    call->argument = argument;
    call->workspace_bytes = workspaceSize;
    call->executor = executor;
    if (settings_get(&call->settings) != 0)
        return ACLNN_ERR_RUNTIME_ERROR; /* its sentence says which variable, or that this is a fork */

    TRY(check_not_null(call));
    TRY(read_handles(call));
    for (unsigned i = 0; i < description->parameter_count; i++)
        if (is_tensor(&description->parameter[i]) && !call->tensor[i].is_possible)
            return tell_impossible_view(call, i);
    return ACLNN_SUCCESS;
}

static aclDataType dtype_of(const struct call *call, unsigned parameter)
{
    return call->description->parameter[parameter].kind == PARAMETER_SCALAR ? call->scalar[parameter].dtype
                                                                            : call->tensor[parameter].dtype;
}

aclnnStatus check_dtype(const struct call *call, unsigned parameter)
{
    aclDataType dtype = dtype_of(call, parameter);
    if (!is_in(call->description->parameter[parameter].dtypes, call->settings->product, dtype))
        return tell_dtype(call, parameter, dtype);
    return ACLNN_SUCCESS;
}

aclnnStatus check_same_dtype(const struct call *call, unsigned parameter, unsigned reference,
                             const char *hint)
{
    if (call->tensor[parameter].dtype != call->tensor[reference].dtype)
        return tell_same_dtype(call, parameter, reference, hint);
    return ACLNN_SUCCESS;
}

aclnnStatus check_rank(const struct call *call, unsigned parameter)
{
    if (call->tensor[parameter].rank > OPERAND_RANK_MAX)
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s has %u dims; at most %d are expected",
                    call->description->operation.name, call->description->parameter[parameter].name,
                    call->tensor[parameter].rank, OPERAND_RANK_MAX);
    return ACLNN_SUCCESS;
}

aclnnStatus check_same_shape(const struct call *call, unsigned parameter, unsigned reference,
                             const char *hint)
{
    const struct tensor_view *view = &call->tensor[parameter], *other = &call->tensor[reference];
    bool is_equal = view->rank == other->rank;
    for (uint32_t i = 0; is_equal && i < view->rank; i++)
        is_equal = view->shape[i] == other->shape[i];
    return is_equal ? ACLNN_SUCCESS : tell_same_shape(call, parameter, reference, hint);
}

aclnnStatus check_broadcast(const struct call *call, const unsigned *parameters, unsigned count,
                            struct shape *shape)
{
    *shape = shape_of(&call->tensor[parameters[0]]);
    for (unsigned i = 1; i < count; i++) {
        struct shape other = shape_of(&call->tensor[parameters[i]]);
        if (!broadcast(shape, &other, shape))
            return tell_broadcast(call, parameters[i], parameters[0], i, shape);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus check_output_shape(const struct call *call, unsigned parameter, const struct shape *shape)
{
    const struct tensor_view *view = &call->tensor[parameter];
    bool is_equal = view->rank == shape->rank;
    for (uint32_t i = 0; is_equal && i < view->rank; i++)
        is_equal = view->shape[i] == shape->dim[i];
    return is_equal ? ACLNN_SUCCESS : tell_output_shape(call, parameter, shape);
}

aclnnStatus check_promotion(const struct call *call, const unsigned *parameters, unsigned count,
                            aclDataType *dtype)
{
    aclDataType common = dtype_of(call, parameters[0]);
    for (unsigned i = 1; i < count; i++) {
        aclDataType other = dtype_of(call, parameters[i]), both = promote(common, other);
        if (both == ACL_DT_UNDEFINED)
            return tell_promotion(call, parameters[i], common);
        common = both;
    }
    *dtype = common;
    return ACLNN_SUCCESS;
}

aclnnStatus check_output_dtype(const struct call *call, unsigned parameter, aclDataType dtype)
{
    if (call->tensor[parameter].dtype != dtype)
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: %s has dtype %s; %s, the dtype that the inputs promote to, is expected",
                    call->description->operation.name, call->description->parameter[parameter].name,
                    dtype_name(call->tensor[parameter].dtype), dtype_name(dtype));
    return ACLNN_SUCCESS;
}

aclnnStatus check_castable(const struct call *call, aclDataType dtype, unsigned parameter)
{
    if (!can_cast(dtype, call->tensor[parameter].dtype))
        return tell_castable(call, dtype, parameter);
    return check_dtype(call, parameter);
}

aclnnStatus check_choice(const struct call *call, unsigned parameter)
{
    const char *const *names = call->description->parameter[parameter].choice_names;
    int64_t value = call->argument[parameter].int64, choices = 0;
    while (names[choices] != NULL)
        choices++;
    return value >= 0 && value < choices ? ACLNN_SUCCESS : tell_choice(call, parameter);
}

aclnnStatus check_not_negative(const struct call *call, unsigned parameter)
{
    if (!fp32_is_zero_or_more(call->argument[parameter].fp32))
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s is %g; 0 or more is expected",
                    call->description->operation.name, call->description->parameter[parameter].name,
                    (double)call->argument[parameter].fp32);
    return ACLNN_SUCCESS;
}

aclnnStatus check_no_self_overlap(const struct call *call, unsigned parameter)
{
    if (view_overlaps_itself(&call->tensor[parameter]))
        return tell_self_overlap(call, parameter);
    return ACLNN_SUCCESS;
}
