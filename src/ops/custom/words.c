/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A call in the words of op_host, and the combination of dtypes that it is.
 */
#include <stdlib.h>
#include <string.h>

#include "ops/check.h"
#include "ops/custom/custom.h"
#include "runtime/named/block_format.h"
#include "tensor/description.h"
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

static void fill_tensor(const aclTensor *tensor, const struct tensor_view *view,
                        struct belay_operator_tensor *to)
{
    struct tensor_description description;
    to->is_there = 1;
    to->dtype = (int32_t)view->dtype;
    to->rank = to->storage_rank = (int32_t)view->rank;
    memcpy(to->dim, view->shape, view->rank * sizeof view->shape[0]);
    memcpy(to->storage_dim, view->shape, view->rank * sizeof view->shape[0]);
    if (!view->is_in_blocks || !tensor_describe(tensor, &description))
        return;
    to->storage_format = (int32_t)description.format;
    to->storage_rank = (int32_t)description.storage_rank;
    memcpy(to->storage_dim, description.storage_shape, description.storage_rank * sizeof to->storage_dim[0]);
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
            fill_tensor(is_list ? (const aclTensor *)call->values[parameter].handle[i]
                                : call->argument[parameter].tensor,
                        is_list ? &call->values[parameter].value.tensor[i] : &call->tensor[parameter],
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

/* How a tensor's format is to be that of a combination: the same, both in blocks or neither; or one in blocks where a
 * plain one is expected, of which the kernel gets a plain copy; or any. */
enum formats { FORMATS_ARE_SAME, FORMATS_CAN_BE_MADE, FORMATS_ARE_ANY };

static bool is_format(const struct belay_operator_tensor *tensor, int32_t expected, enum formats formats)
{
    if (formats == FORMATS_ARE_ANY)
        return true;
    if (block_format_name((aclFormat)expected) != NULL)
        return tensor->storage_format == expected;
    return formats == FORMATS_CAN_BE_MADE || block_format_name((aclFormat)tensor->storage_format) == NULL;
}

/* Whether all tensors that are there have the dtypes of a combination, and its formats. */
static bool is_combination(const struct belay_operator_tensor *tensor, const uint32_t *first,
                           uint32_t parameters, const struct belay_operator_parameter *of,
                           uint32_t combination, enum formats formats)
{
    for (uint32_t i = 0; i < parameters; i++)
        for (uint32_t k = first[i]; k < first[i + 1]; k++)
            if (tensor[k].is_there && (tensor[k].dtype != of[i].dtype[combination] ||
                                       !is_format(&tensor[k], of[i].format[combination], formats)))
                return false;
    return true;
}

/* The first one of these formats: of inputs and outputs, or of inputs alone. combinations: there is none. */
static uint32_t find_with(const struct custom *custom, const struct belay_operator_call *call,
                          enum formats formats, bool with_outputs)
{
    const struct belay_operator_product *product = custom->product;
    uint32_t i = 0;
    while (i < product->combinations &&
           (!is_combination(call->input, call->first_input, custom->operation->inputs, product->input, i,
                            formats) ||
            (with_outputs && !is_combination(call->output, call->first_output, custom->operation->outputs,
                                             product->output, i, formats))))
        i++;
    return i;
}

/* That of inputs and outputs, or, where none is, that of the inputs: the outputs are judged later. */
static uint32_t find_combination(const struct custom *custom, const struct belay_operator_call *call)
{
    const uint32_t none = custom->product->combinations;
    for (int with_outputs = 1; with_outputs >= 0; with_outputs--)
        for (int formats = FORMATS_ARE_SAME; formats <= FORMATS_ARE_ANY; formats++) {
            const uint32_t found = find_with(custom, call, (enum formats)formats, with_outputs != 0);
            if (found < none)
                return found;
        }
    return none;
}

/* Of what is in blocks, and expected to be plain, the kernel gets a plain copy: that is what its tiling is told of. */
static void tell_copies(struct belay_operator_tensor *tensor, const uint32_t *first, uint32_t parameters,
                        const struct belay_operator_parameter *of, uint32_t combination)
{
    for (uint32_t i = 0; i < parameters; i++)
        for (uint32_t k = first[i]; k < first[i + 1]; k++) {
            if (block_format_name((aclFormat)of[i].format[combination]) != NULL)
                continue;
            tensor[k].storage_format = tensor[k].format;
            tensor[k].storage_rank = tensor[k].rank;
            memcpy(tensor[k].storage_dim, tensor[k].dim, sizeof tensor[k].dim);
        }
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
    if (made->combination < custom->product->combinations) {
        const struct belay_operator_product *product = custom->product;
        tell_copies(to->input, first, operation->inputs, product->input, made->combination);
        tell_copies(to->output, to->first_output, operation->outputs, product->output, made->combination);
    }
    return made;
}
