/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rules for arguments. What is found wrong is told by check_message.c; here are the rules alone.
 */
#include "ops/check.h"

#include "ops/check_message.h"
#include "ops/overlap.h"
#include "ops/scalar.h"
#include "runtime/report.h"
#include "tensor/dtype.h"

static inline bool has_shape(const struct tensor_view *view, uint32_t rank, const int64_t *dim)
{
    if (view->rank != rank)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        if (view->shape[i] != dim[i])
            return false;
    return true;
}

aclnnStatus tell_rank(const struct call *call, unsigned parameter)
{
    return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s has %u dims; at most %d are expected",
                call->function->operation.name, call->function->parameter[parameter].name,
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
            call->function->operation.name, call->function->parameter[parameters[count - 1]].name);
    return ACLNN_SUCCESS;
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

aclnnStatus check_choice(const struct call *call, unsigned parameter)
{
    const char *const *names = call->function->parameter[parameter].choices;
    int64_t value = call->argument[parameter].int64, choices = 0;
    while (names[choices] != NULL)
        choices++;
    return value >= 0 && value < choices ? ACLNN_SUCCESS : tell_choice(call, parameter);
}

aclnnStatus check_not_negative(const struct call *call, unsigned parameter)
{
    if (!fp32_is_zero_or_more(call->argument[parameter].fp32))
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s is %g; 0 or more is expected",
                    call->function->operation.name, call->function->parameter[parameter].name,
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

aclnnStatus result_broadcast(struct result *result, const struct call *call, const unsigned *parameters,
                             unsigned count, aclDataType dtype, enum dtype_rule rule)
{
    struct output *output = result_add(result, dtype, rule);
    if (call->is_uniform) {
        output->like = parameters[0];
        return ACLNN_SUCCESS;
    }
    output->shape_rule = SHAPE_EQUAL;
    return check_broadcast_together(call, parameters, count, &output->shape);
}

static aclnnStatus check_output_dtype(const struct call *call, unsigned parameter,
                                      const struct output *output)
{
    if (output->dtype_rule == DTYPE_CASTABLE)
        TRY(check_castable(call, output->dtype, parameter));
    else if (output->dtype_rule == DTYPE_EQUAL && call->tensor[parameter].dtype != output->dtype)
        return tell_output_dtype(call, parameter, output);
    return check_dtype(call, parameter);
}

static int64_t elements_of(const struct shape *shape)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        count *= shape->dim[i];
    return count;
}

static aclnnStatus check_output_shape(const struct call *call, unsigned parameter,
                                      const struct output *output)
{
    const struct tensor_view *view = &call->tensor[parameter];
    const struct shape *shape = &output->shape;
    switch (output->shape_rule) {
    case SHAPE_LIKE:
        return check_same_shape(call, parameter, output->like, NULL);
    case SHAPE_ONE:
        if (view->count == 1 && view->rank <= 1 && shape->rank <= 1)
            return ACLNN_SUCCESS;
        break;
    case SHAPE_BY_COUNT:
        TRY(check_rank(call, parameter));
        if (view->count == elements_of(shape))
            return ACLNN_SUCCESS;
        break;
    case SHAPE_EQUAL:
        break;
    }
    return has_shape(view, shape->rank, shape->dim) ? ACLNN_SUCCESS
                                                    : tell_output_shape(call, parameter, shape);
}

/* Of a list: as many tensors as that which it is like has, each with the dtype and shape of its own. */
static aclnnStatus check_output_list(const struct call *call, unsigned parameter, const struct output *output)
{
    const struct call_values *found = &call->values[parameter], *like = &call->values[output->like];
    if (found->count != like->count)
        return tell_list_count(call, parameter, output->like);
    for (uint64_t i = 0; i < found->count; i++) {
        const struct tensor_view *view = &found->value.tensor[i], *other = &like->value.tensor[i];
        aclDataType dtype = output->dtype == ACL_DT_UNDEFINED ? other->dtype : output->dtype;
        bool has_dtype = output->dtype_rule == DTYPE_ANY || view->dtype == dtype ||
                         (output->dtype_rule == DTYPE_CASTABLE && can_cast(dtype, view->dtype));
        if (!has_dtype || !has_shape(view, other->rank, other->shape) || view_overlaps_itself(view))
            return tell_list_element(call, parameter, i, dtype, other);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus check_outputs(const struct call *call, const struct result *result)
{
    for (unsigned i = 0; i < result->count; i++) {
        const struct output *output = &result->output[i];
        unsigned parameter = call_written(call, i);
        if (output->is_unwanted || !call_has(call, parameter))
            continue;
        if (call->function->parameter[parameter].kind == PARAMETER_TENSOR_LIST) {
            if (output->shape_rule == SHAPE_LIKE)
                TRY(check_output_list(call, parameter, output));
            continue;
        }
        TRY(check_output_dtype(call, parameter, output));
        TRY(check_output_shape(call, parameter, output));
        if (!call->is_uniform && view_overlaps_itself(&call->tensor[parameter]))
            return tell_self_overlap(call, parameter);
    }
    return ACLNN_SUCCESS;
}
