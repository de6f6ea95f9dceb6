/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rules for arguments, each with its sentence.
 */
#include "ops/check.h"
#include "ops/dims.h"

#include <inttypes.h>

#include "ops/dtypes.h"
#include "ops/overlap.h"
#include "ops/scalar.h"
#include "base/report.h"
#include "tensor/dtype.h"

static inline bool has_shape(const struct tensor_view *view, uint32_t rank, const int64_t *dim)
{
    return dims_are_same(view->rank, view->shape, rank, dim);
}

aclnnStatus tell_rank(const struct call *call, unsigned parameter)
{
    return refuse(call, "%s has %u dims; at most %d are expected", call_name(call, parameter),
                  call->tensor[parameter].rank, OPERAND_RANK_MAX);
}

/* " on Ascend910B (hint)", or nothing. */
static const char *hint_text(struct text *text, const struct call *call, const char *hint)
{
    if (hint != NULL)
        text_append(text, " on %s (%s)", call->settings->soc_name, hint);
    return text->bytes;
}

aclnnStatus tell_same_dtype(const struct call *call, unsigned parameter, unsigned reference, const char *hint)
{
    return refuse(call, "%s has dtype %s; %s, the dtype of %s, is expected%s", call_name(call, parameter),
                  dtype_name(call->tensor[parameter].dtype), dtype_name(call->tensor[reference].dtype),
                  call_name(call, reference), hint_text(TEXT, call, hint));
}

aclnnStatus judge_same_shape(const struct call *call, unsigned parameter, unsigned reference,
                             const char *hint)
{
    const struct tensor_view *view = &call->tensor[parameter], *other = &call->tensor[reference];
    if (has_shape(view, other->rank, other->shape))
        return ACLNN_SUCCESS;
    return refuse(call, "%s has shape %s; %s, the shape of %s, is expected%s", call_name(call, parameter),
                  shape_text(TEXT, view), shape_text(TEXT, other), call_name(call, reference),
                  hint_text(TEXT, call, hint));
}

static aclnnStatus broadcast_all(const struct call *call, const unsigned *parameters, unsigned count,
                                 struct shape *shape)
{
    *shape = shape_of(&call->tensor[parameters[0]]);
    for (unsigned i = 1; i < count; i++) {
        struct shape other = shape_of(&call->tensor[parameters[i]]);
        if (!broadcast(shape, &other, shape))
            return refuse(call,
                          "%s has shape %s, which does not broadcast with %s, the shape of %s%s; "
                          "sizes that are equal or 1 are expected, aligned at the last dim",
                          call_name(call, parameters[i]), shape_text(TEXT, &call->tensor[parameters[i]]),
                          dims_text(TEXT, shape->rank, shape->dim), call_name(call, parameters[0]),
                          i == 1 ? "" : " broadcast with the arguments before");
    }
    return ACLNN_SUCCESS;
}

aclnnStatus check_broadcast_together(const struct call *call, const unsigned *parameters, unsigned count,
                                     struct shape *shape)
{
    TRY(broadcast_all(call, parameters, count, shape));
    if (!dims_are_countable(shape->rank, shape->dim))
        return refuse(call,
                      "%s and the inputs before it broadcast to a shape of more than 2^63 - 1 elements; "
                      "that many at most are expected",
                      call_name(call, parameters[count - 1]));
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

aclnnStatus check_one_element(const struct call *call, unsigned parameter)
{
    if (call->tensor[parameter].count == 1)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has %" PRId64 " elements; one is expected", call_name(call, parameter),
                  call->tensor[parameter].count);
}

aclnnStatus check_element_count(const struct call *call, const struct shape *shape)
{
    return dims_are_countable(shape->rank, shape->dim)
               ? ACLNN_SUCCESS
               : refuse(call, "out would have more than 2^63 - 1 elements");
}

aclnnStatus check_is_computed_in(const struct call *call, unsigned parameter)
{
    const aclDataType dtype = call->tensor[parameter].dtype;
    if (!dtype_is_one_of(dtype, DTYPES_SMALL))
        return ACLNN_SUCCESS;
    return refuse(
        call,
        "%s has dtype %s, which is moved and not computed in; another one is expected where elements "
        "are put together",
        call_name(call, parameter), dtype_name(dtype));
}

aclnnStatus check_choice(const struct call *call, unsigned parameter)
{
    const char *const *names = call->function->parameter[parameter].choices;
    const int64_t value = call->argument[parameter].int64;
    struct text expected = {0};
    int choices = 0;
    for (; names[choices] != NULL; choices++)
        if (value == choices)
            return ACLNN_SUCCESS;
    for (int i = 0; i < choices; i++)
        text_append(&expected, "%s%d (%s)", i == 0 ? "" : i + 1 < choices ? ", " : " or ", i, names[i]);
    return refuse(call, "%s is %" PRId64 "; %s is expected", call_name(call, parameter), value,
                  expected.bytes);
}

aclnnStatus check_dim(const struct call *call, unsigned parameter, int64_t value, uint32_t rank,
                      uint32_t *dim)
{
    const int64_t dims = rank > 0 ? rank : 1;
    if (value < -dims || value >= dims)
        return refuse(call,
                      "%s is %" PRId64 "; %" PRId64 " to %" PRId64 " are expected for a tensor of rank %u",
                      call_name(call, parameter), value, -dims, dims - 1, rank);
    *dim = (uint32_t)(value < 0 ? value + dims : value);
    return ACLNN_SUCCESS;
}

aclnnStatus check_not_negative(const struct call *call, unsigned parameter)
{
    if (!fp32_is_zero_or_more(call->argument[parameter].fp32))
        return refuse(call, "%s is %g; 0 or more is expected", call_name(call, parameter),
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
        return call->tensor[output->like].dtype == output->dtype && output->shape_rule == SHAPE_LIKE
                   ? tell_same_dtype(call, parameter, output->like, NULL)
                   : refuse(call, "%s has dtype %s; %s, the dtype that the inputs promote to, is expected",
                            call_name(call, parameter), dtype_name(call->tensor[parameter].dtype),
                            dtype_name(output->dtype));
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
    if (has_shape(view, shape->rank, shape->dim))
        return ACLNN_SUCCESS;
    return refuse(call, "%s has shape %s; %s, the shape that the inputs lead to, is expected",
                  call_name(call, parameter), shape_text(TEXT, view),
                  dims_text(TEXT, shape->rank, shape->dim));
}

/* An output list has as many tensors as that which it is like, each with the dtype and shape of the
 * other's. */
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
        if (!has_dtype || !has_shape(view, other->rank, other->shape) ||
            (!output->may_overlap && view_overlaps_itself(view)))
            return refuse(call,
                          "tensor %" PRIu64 " of %s has dtype %s and shape %s; %s and %s, without indices "
                          "that share an element, are expected",
                          i, call_name(call, parameter), dtype_name(view->dtype), shape_text(TEXT, view),
                          dtype_name(dtype), shape_text(TEXT, other));
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
        const struct tensor_view *view = &call->tensor[parameter];
        if (!call->is_uniform && !output->may_overlap && view_overlaps_itself(view))
            return report_misuse(RULE_SELF_OVERLAP, ACLNN_ERR_PARAM_INVALID,
                                 "%s: %s overlaps itself with shape %s and strides %s; an output is expected "
                                 "to have one element for each index",
                                 call->function->operation.name, call_name(call, parameter),
                                 shape_text(TEXT, view), dims_text(TEXT, view->rank, view->stride));
    }
    return ACLNN_SUCCESS;
}
