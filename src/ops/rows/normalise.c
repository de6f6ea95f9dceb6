/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Checks that normalisations share.
 */
#include "ops/rows/normalise.h"

#include <inttypes.h>

#include "ops/check.h"

aclnnStatus check_normalized(const struct call *call, unsigned input, unsigned normalized, axes *along)
{
    const struct tensor_view *view = &call->tensor[input];
    const struct call_values *shape = &call->values[normalized];
    const char *name = call_name(call, input);
    if (shape->count < 1 || shape->count > view->rank)
        return refuse(call, "normalizedShape has %llu dims and %s %u; from 1 to as many are expected",
                      (unsigned long long)shape->count, name, view->rank);
    const uint32_t first = view->rank - (uint32_t)shape->count;
    *along = 0;
    for (uint32_t i = first; i < view->rank; i++) {
        if (shape->value.int64[i - first] != view->shape[i])
            return refuse(
                call, "normalizedShape has %lld at %u where %s has %lld; its last dims are expected",
                (long long)shape->value.int64[i - first], i - first, name, (long long)view->shape[i]);
        *along |= UINT32_C(1) << i;
    }
    return ACLNN_SUCCESS;
}

aclnnStatus check_factor_dtype(const struct call *call, unsigned parameter, unsigned input)
{
    if (!call_has(call, parameter))
        return ACLNN_SUCCESS;
    TRY(check_dtype(call, parameter));
    return call_dtype(call, parameter) == ACL_FLOAT ? ACLNN_SUCCESS
                                                    : check_same_dtype(call, parameter, input, NULL);
}

aclnnStatus check_gamma(const struct call *call, unsigned parameter, unsigned x, axes *along)
{
    const struct tensor_view *gamma = &call->tensor[parameter], *view = &call->tensor[x];
    uint32_t rank = gamma->rank;
    bool fits = rank >= 1 && rank <= view->rank;
    for (uint32_t i = 0; fits && i < rank; i++)
        fits = gamma->shape[i] == view->shape[view->rank - rank + i];
    if (!fits && rank == 2 && gamma->shape[0] == 1 && view->rank >= 1 &&
        gamma->shape[1] == view->shape[view->rank - 1]) {
        fits = true;
        rank = 1;
    }
    *along = 0;
    for (uint32_t i = view->rank - (fits ? rank : 0); i < view->rank; i++)
        *along |= UINT32_C(1) << i;
    return fits ? ACLNN_SUCCESS
                : refuse(call, "the shape of %s is not that of the last dims of %s",
                         call_name(call, parameter), call_name(call, x));
}

aclnnStatus check_factor_shape(const struct call *call, unsigned parameter, unsigned normalized)
{
    const struct tensor_view *view = &call->tensor[parameter];
    const struct call_values *shape = &call->values[normalized];
    if (!call_has(call, parameter))
        return ACLNN_SUCCESS;
    bool is_same = view->rank == shape->count;
    for (uint32_t i = 0; is_same && i < view->rank; i++)
        is_same = view->shape[i] == shape->value.int64[i];
    return is_same ? ACLNN_SUCCESS
                   : refuse(call, "%s has another shape than normalizedShape", call_name(call, parameter));
}

aclnnStatus check_count(const struct call *call, unsigned parameter, int64_t count, const char *what)
{
    if (!call_has(call, parameter) || call->tensor[parameter].count == count)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has %" PRId64 " elements; %" PRId64 ", %s, are expected",
                  call_name(call, parameter), call->tensor[parameter].count, count, what);
}

aclnnStatus check_given(const struct call *call, unsigned parameter, const char *who)
{
    return call_has(call, parameter)
               ? ACLNN_SUCCESS
               : fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL, which %s asks for; a tensor is expected",
                      call->function->operation.name, call->function->parameter[parameter].name, who);
}

aclnnStatus check_channels(const struct call *call, unsigned parameter)
{
    const uint32_t rank = call->tensor[parameter].rank;
    TRY(check_rank(call, parameter));
    return rank >= 2 ? ACLNN_SUCCESS
                     : refuse(call, "%s has %u dims; from 2 to %d are expected", call_name(call, parameter),
                              rank, OPERAND_RANK_MAX);
}

struct tensor_view view_repeated(const struct tensor_view *view, int64_t times)
{
    struct tensor_view repeated = *view;
    repeated.rank++;
    repeated.shape[0] = times;
    repeated.stride[0] = 0;
    for (uint32_t i = 0; i < view->rank; i++) {
        repeated.shape[i + 1] = view->shape[i];
        repeated.stride[i + 1] = view->stride[i];
    }
    return repeated;
}

struct output *result_by_count(struct result *result, uint32_t rank, const int64_t *shape)
{
    struct output *output = result_add(result, ACL_FLOAT, DTYPE_ANY);
    output->shape_rule = SHAPE_BY_COUNT;
    output->shape.rank = rank;
    for (uint32_t i = 0; i < rank; i++)
        output->shape.dim[i] = shape[i];
    return output;
}

aclnnStatus check_mask(const struct call *call, unsigned mask, unsigned outputs)
{
    const struct function *function = call->function;
    if (call->values[mask].count != outputs)
        return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s has %" PRIu64 " entries; %u are expected",
                    function->operation.name, function->parameter[mask].name, call->values[mask].count,
                    outputs);
    for (unsigned i = 0; call->has_outputs && i < outputs; i++) {
        const unsigned parameter = function->parameter_count - outputs + i;
        if (mask_has(call, mask, i))
            TRY(check_given(call, parameter, function->parameter[mask].name));
    }
    return ACLNN_SUCCESS;
}

bool mask_has(const struct call *call, unsigned mask, unsigned n)
{
    return call->values[mask].value.boolean[n];
}
