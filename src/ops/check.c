/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rules for arguments. What is found wrong is told by check_message.c; here are the rules alone.
 */
#include "ops/check.h"

#include "check/report.h"
#include "ops/check_message.h"
#include "ops/overlap.h"
#include "ops/scalar.h"
#include "tensor/dtype.h"

static struct shape shape_of(const struct tensor_view *view)
{
    struct shape shape = {.rank = view->rank};
    for (uint32_t i = 0; i < view->rank; i++)
        shape.dim[i] = view->shape[i];
    return shape;
}

static __attribute__((cold)) aclnnStatus check_not_null(const struct call *call)
{
    const struct operator_description *description = call->description;
    if (call->workspace_bytes == NULL || call->executor == NULL)
        return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL; the address of a variable is expected",
                    description->operation.name,
                    call->workspace_bytes == NULL ? "workspaceSize" : "executor");
    for (unsigned i = 0; i < description->parameter_count; i++) {
        const struct parameter *parameter = &description->parameter[i];
        bool is_missing = parameter_is_tensor(parameter)
                              ? call->argument[i].tensor == NULL
                              : parameter->kind == PARAMETER_SCALAR && call->argument[i].scalar == NULL &&
                                    !parameter->is_optional;
        if (is_missing)
            return report_misuse(RULE_HANDLE, ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL; a %s is expected",
                                 description->operation.name, parameter->name,
                                 parameter_is_tensor(parameter) ? "tensor" : "scalar");
    }
    return ACLNN_SUCCESS;
}

static void add_tensor(struct call *call, unsigned parameter)
{
    call->tensor_parameter[call->tensor_count++] = parameter;
}

/* Reads every handle; from here on the call works on copies alone. */
static __attribute__((cold)) aclnnStatus read_handles(struct call *call)
{
    const struct operator_description *description = call->description;
    call->tensor_count = 0;
    call->is_uniform = false;
    for (unsigned i = 0; i < description->parameter_count; i++) {
        const struct parameter *parameter = &description->parameter[i];
        if (parameter_is_tensor(parameter)) {
            const aclTensor *tensor = call->argument[i].tensor;
            add_tensor(call, i);
            if (!tensor_read(tensor, &call->tensor[i]))
                return report_misuse(RULE_HANDLE, ACLNN_ERR_PARAM_INVALID,
                                     "%s: %s %s; a live tensor is expected", description->operation.name,
                                     parameter->name, tensor_fault(tensor));
        } else if (parameter->kind == PARAMETER_SCALAR && call->argument[i].scalar != NULL) {
            const aclScalar *scalar = call->argument[i].scalar;
            if (!scalar_read(scalar, &call->scalar[i]))
                return report_misuse(RULE_HANDLE, ACLNN_ERR_PARAM_INVALID,
                                     "%s: %s %s; a live scalar is expected", description->operation.name,
                                     parameter->name, scalar_fault(scalar));
        }
    }
    return ACLNN_SUCCESS;
}

/* The rules in their order, for a call that read_all has not found to be right. */
static __attribute__((noinline, cold)) aclnnStatus judge_arguments(struct call *call)
{
    TRY(check_not_null(call));
    TRY(read_handles(call));
    for (unsigned i = 0; i < call->description->parameter_count; i++)
        if (parameter_is_tensor(&call->description->parameter[i]) && !call->tensor[i].is_possible)
            return tell_impossible_view(call, i);
    return ACLNN_SUCCESS;
}

static inline bool has_shape(const struct tensor_view *view, uint32_t rank, const int64_t *dim)
{
    if (view->rank != rank)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        if (view->shape[i] != dim[i])
            return false;
    return true;
}

static bool is_uniform_with(const struct tensor_view *view, const struct tensor_view *first)
{
    return view->is_contiguous && has_shape(view, first->rank, first->shape);
}

/* Reads every handle once. False when anything is wrong; NULL is no live handle. */
static bool read_all(struct call *call)
{
    const struct operator_description *description = call->description;
    const struct tensor_view *first = NULL;
    call->tensor_count = 0;
    call->is_uniform = true;
    for (unsigned i = 0; i < description->parameter_count; i++) {
        const struct parameter *parameter = &description->parameter[i];
        struct tensor_view *view = &call->tensor[i];
        if (parameter_is_tensor(parameter)) {
            if (!tensor_read(call->argument[i].tensor, view) || (CHECKS_ARE_ON && !view->is_possible))
                return false;
            add_tensor(call, i);
            first = first == NULL ? view : first;
            call->is_uniform = call->is_uniform && is_uniform_with(view, first);
        } else if (parameter->kind == PARAMETER_SCALAR) {
            const aclScalar *scalar = call->argument[i].scalar;
            if (!scalar_read(scalar, &call->scalar[i]) && !(scalar == NULL && parameter->is_optional))
                return false;
        }
    }
    return !CHECKS_ARE_ON || (call->workspace_bytes != NULL && call->executor != NULL);
}

aclnnStatus operator_plan_anew(const struct operator_description *description, const union argument *argument,
                               uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct call call __attribute__((uninitialized));
    call.description = description;
    call.argument = argument;
    call.workspace_bytes = workspaceSize;
    call.executor = executor;
    if (settings_get(&call.settings) != 0)
        return ACLNN_ERR_RUNTIME_ERROR; /* its sentence says which variable, or that this is a fork */
    if (__builtin_expect(!read_all(&call), 0))
        TRY(judge_arguments(&call));
    return description->plan(&call);
}

aclnnStatus tell_rank(const struct call *call, unsigned parameter)
{
    return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s has %u dims; at most %d are expected",
                call->description->operation.name, call->description->parameter[parameter].name,
                call->tensor[parameter].rank, OPERAND_RANK_MAX);
}

aclnnStatus judge_same_shape(const struct call *call, unsigned parameter, unsigned reference,
                             const char *hint)
{
    const struct tensor_view *view = &call->tensor[parameter], *other = &call->tensor[reference];
    return has_shape(view, other->rank, other->shape) ? ACLNN_SUCCESS
                                                      : tell_same_shape(call, parameter, reference, hint);
}

static aclnnStatus broadcast_all(const struct call *call, const unsigned *parameters, unsigned count,
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

aclnnStatus check_broadcast_together(const struct call *call, const unsigned *parameters, unsigned count,
                                     struct shape *shape)
{
    TRY(broadcast_all(call, parameters, count, shape));
    int64_t elements = 1;
    bool is_empty = false, is_too_large = false;
    for (uint32_t i = 0; i < shape->rank; i++) {
        is_empty = is_empty || shape->dim[i] == 0;
        is_too_large = is_too_large || __builtin_mul_overflow(elements, shape->dim[i], &elements);
    }
    if (is_too_large && !is_empty)
        return fail(
            ACLNN_ERR_PARAM_INVALID,
            "%s: %s and the inputs before it broadcast to a shape of more than 2^63 - 1 elements; that "
            "many at most are expected",
            call->description->operation.name, call->description->parameter[parameters[count - 1]].name);
    return ACLNN_SUCCESS;
}

aclnnStatus judge_broadcast(const struct call *call, const unsigned *parameters, unsigned count,
                            unsigned output)
{
    struct shape shape;
    TRY(broadcast_all(call, parameters, count, &shape));
    return has_shape(&call->tensor[output], shape.rank, shape.dim) ? ACLNN_SUCCESS
                                                                   : tell_output_shape(call, output, &shape);
}

aclnnStatus judge_promotion(const struct call *call, const unsigned *parameters, unsigned count,
                            aclDataType *dtype)
{
    aclDataType common = call_dtype(call, parameters[0]);
    for (unsigned i = 1; i < count; i++) {
        aclDataType both = promote(common, call_dtype(call, parameters[i]));
        if (both == ACL_DT_UNDEFINED)
            return tell_promotion(call, parameters[i], common);
        common = both;
    }
    *dtype = common;
    return ACLNN_SUCCESS;
}

aclnnStatus judge_castable(const struct call *call, aclDataType dtype, unsigned parameter)
{
    return can_cast(dtype, call->tensor[parameter].dtype) ? ACLNN_SUCCESS
                                                          : tell_castable(call, dtype, parameter);
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

aclnnStatus check_optional_fp32(const struct call *call, unsigned parameter, double otherwise, double *value)
{
    *value = otherwise;
    if (call->argument[parameter].scalar == NULL)
        return ACLNN_SUCCESS;
    TRY(check_dtype(call, parameter));
    *value = scalar_to_fp32(&call->scalar[parameter]);
    return ACLNN_SUCCESS;
}

aclnnStatus check_no_self_overlap(const struct call *call, unsigned parameter)
{
    if (CHECKS_ARE_ON && view_overlaps_itself(&call->tensor[parameter]))
        return tell_self_overlap(call, parameter);
    return ACLNN_SUCCESS;
}
