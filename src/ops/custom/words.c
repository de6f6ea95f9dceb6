/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A call in the words of op_host, and the combination of dtypes that it is.
 */
#include <stdlib.h>
#include <string.h>

#include "ops/check.h"
#include "ops/custom/custom.h"
#include "tensor/dtype.h"

/* How many tensors a parameter of the definition has in the call. */
static uint32_t tensors_of(const struct call *call, unsigned parameter, bool is_value)
{
    const enum parameter_kind kind = call->function->parameter[parameter].kind;
    if (is_value)
        return call_has(call, parameter);
    if (parameter_is_output(&call->function->parameter[parameter]) && !call->has_outputs)
        return 1;
    if (!call_has(call, parameter))
        return 0;
    return kind == PARAMETER_TENSOR_LIST ? (uint32_t)call->values[parameter].count : 1;
}

static void fill_tensor(const struct tensor_view *view, struct belay_operator_tensor *to)
{
    to->is_there = 1;
    to->dtype = (int32_t)view->dtype;
    to->rank = to->storage_rank = (int32_t)view->rank;
    memcpy(to->dim, view->shape, view->rank * sizeof view->shape[0]);
    memcpy(to->storage_dim, view->shape, view->rank * sizeof view->shape[0]);
}

static void fill_values(const struct call *call, unsigned parameter, int32_t dtype,
                        struct belay_operator_tensor *to)
{
    const struct call_values *values = &call->values[parameter];
    to->is_there = 1;
    to->dtype = dtype;
    to->rank = to->storage_rank = 1;
    to->dim[0] = to->storage_dim[0] = (int64_t)values->count;
    to->data = values->value.any;
}

/* The tensors of one parameter; of an output that is to be inferred neither dims nor dtype. */
static uint32_t fill(const struct call *call, unsigned parameter, const struct belay_operator_parameter *of,
                     struct belay_operator_tensor *to)
{
    const uint32_t count = tensors_of(call, parameter, of->is_value != 0);
    const bool is_list = call->function->parameter[parameter].kind == PARAMETER_TENSOR_LIST;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = (struct belay_operator_tensor){
            .format = ACL_FORMAT_ND, .storage_format = ACL_FORMAT_ND, .rank = -1, .storage_rank = -1};
        if (of->is_value)
            fill_values(call, parameter, of->dtype[0], &to[i]);
        else if (call_has(call, parameter))
            fill_tensor(is_list ? &call->values[parameter].value.tensor[i] : &call->tensor[parameter],
                        &to[i]);
    }
    return count;
}

static void fill_attribute(const struct call *call, unsigned parameter, uint32_t kind,
                           struct belay_operator_value *value)
{
    const union argument *argument = &call->argument[parameter];
    value->kind = kind;
    if (kind == BELAY_ATTRIBUTE_INT)
        value->integer = argument->int64;
    else if (kind == BELAY_ATTRIBUTE_FLOAT)
        value->number = (float)argument->fp64;
    else if (kind == BELAY_ATTRIBUTE_BOOL)
        value->truth = argument->boolean;
    else if (kind == BELAY_ATTRIBUTE_STRING)
        value->text = argument->string != NULL ? argument->string : "";
    else if (call_has(call, parameter)) {
        value->list = call->values[parameter].value.any;
        value->count = call->values[parameter].count;
    }
}

/* All of them, and the places of the parameters; returns how many tensors there are. */
static uint32_t fill_all(const struct call *call, bool is_output, struct belay_operator_tensor *to,
                         uint32_t *first)
{
    const struct custom *custom = custom_of(call);
    const struct belay_operator *operation = custom->operation;
    const uint32_t parameters = is_output ? operation->outputs : operation->inputs;
    uint32_t count = 0;
    for (uint32_t i = 0; i < parameters; i++) {
        const struct belay_operator_parameter *of =
            is_output ? &custom->product->output[i] : &custom->product->input[i];
        first[i] = count;
        count += fill(call, is_output ? custom->output_at[i] : custom->input_at[i], of, to + count);
    }
    first[parameters] = count;
    first[parameters + 1] = UINT32_MAX;
    return count;
}

static uint32_t count_all(const struct call *call)
{
    uint32_t count = 2 * PARAMETERS_MAX;
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call->function->parameter[i].kind == PARAMETER_TENSOR_LIST && call_has(call, i))
            count += 2 * (uint32_t)call->values[i].count; /* an output may be an input as well */
    return count;
}

/* Whether all tensors that are there have the dtypes of a combination. */
static bool is_combination(const struct belay_operator_tensor *tensor, const uint32_t *first,
                           uint32_t parameters, const struct belay_operator_parameter *of,
                           uint32_t combination)
{
    for (uint32_t i = 0; i < parameters; i++)
        for (uint32_t k = first[i]; k < first[i + 1]; k++)
            if (tensor[k].is_there && tensor[k].dtype != of[i].dtype[combination])
                return false;
    return true;
}

/* That of inputs and outputs, or, where none is, that of the inputs: the outputs are judged later. */
static uint32_t find_combination(const struct custom *custom, const struct belay_operator_call *call)
{
    const struct belay_operator_product *product = custom->product;
    uint32_t found = product->combinations;
    for (uint32_t i = product->combinations; i-- > 0;) {
        if (!is_combination(call->input, call->first_input, custom->operation->inputs, product->input, i))
            continue;
        if (is_combination(call->output, call->first_output, custom->operation->outputs, product->output, i))
            return i;
        found = i;
    }
    return found;
}

struct custom_call *custom_call_make(const struct call *call)
{
    const struct custom *custom = custom_of(call);
    const struct belay_operator *operation = custom->operation;
    const uint32_t tensors = count_all(call), places = operation->inputs + operation->outputs + 4;
    const size_t bytes = sizeof(struct custom_call) + tensors * sizeof(struct belay_operator_tensor) +
                         operation->attributes * sizeof(struct belay_operator_value) +
                         places * sizeof(uint32_t);
    struct custom_call *made = calloc(1, bytes);
    if (made == NULL)
        return NULL;
    struct belay_operator_call *to = &made->call;
    struct belay_operator_tensor *tensor = (struct belay_operator_tensor *)(made + 1);
    made->value = (struct belay_operator_value *)(tensor + tensors);
    uint32_t *first = (uint32_t *)(made->value + operation->attributes);
    *to = (struct belay_operator_call){.name = call->function->operation.name,
                                       .attribute = made->value,
                                       .attribute_count = operation->attributes,
                                       .first_input = first,
                                       .first_output = first + operation->inputs + 2};
    to->input = tensor;
    to->input_count = fill_all(call, false, to->input, first);
    to->output = tensor + to->input_count;
    to->output_count = fill_all(call, true, to->output, first + operation->inputs + 2);
    for (uint32_t i = 0; i < operation->attributes; i++)
        fill_attribute(call, custom->attribute_at[i], operation->attribute[i].kind, &made->value[i]);
    made->combination = find_combination(custom, to);
    return made;
}
