/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What comes out of an operator of a project: the combination of dtypes says the dtypes, its InferShape the dims. Where
 * that says nothing an output is taken as it is given, and made like the first input where it is not.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ops/check.h"
#include "ops/custom/custom.h"
#include "runtime/named/block_format.h"
#include "tensor/description.h"
#include "tensor/dtype.h"

/* "x, y" and "FLOAT, FLOAT or FLOAT16, FLOAT16". */
static aclnnStatus refuse_combination(const struct call *call, const struct custom_call *made)
{
    const struct custom *custom = custom_of(call);
    const struct belay_operator_product *product = custom->product;
    struct text names = {0}, found = {0}, expected = {0};
    for (uint32_t i = 0; i < custom->operation->inputs; i++) {
        const uint32_t at = made->call.first_input[i];
        const bool is_there = made->call.first_input[i + 1] > at;
        const char *dtype = is_there ? dtype_name((aclDataType)made->call.input[at].dtype) : "none";
        text_append(&names, "%s%s", i > 0 ? ", " : "", call_name(call, custom->input_at[i]));
        text_append(&found, "%s%s", i > 0 ? ", " : "", dtype);
    }
    for (uint32_t k = 0; k < product->combinations; k++)
        for (uint32_t i = 0; i < custom->operation->inputs; i++)
            text_append(&expected, "%s%s",
                        i > 0   ? ", "
                        : k > 0 ? " or "
                                : "",
                        dtype_name((aclDataType)product->input[i].dtype[k]));
    return refuse(call, "%s have the dtypes %s; %s, as the definition has them, are expected", names.bytes,
                  found.bytes, expected.bytes);
}

struct call_blocks *custom_blocks_of(const struct call *call, unsigned parameter, uint64_t element,
                                     const struct belay_operator_parameter *of, uint32_t combination)
{
    if (block_format_name((aclFormat)of->format[combination]) == NULL)
        return NULL;
    for (uint32_t i = 0; i < call->blocks_count; i++)
        if (call->blocks[i].operand == call->first_operand[parameter] + element)
            return &call->blocks[i];
    return NULL;
}

/* A kernel that takes blocks gets all of them, as they lie. */
static aclnnStatus check_blocks(const struct call *call, unsigned parameter, uint64_t element,
                                const struct tensor_view *view, const struct belay_operator_parameter *of,
                                uint32_t combination)
{
    struct tensor_description description;
    const bool is_list = call->function->parameter[parameter].kind == PARAMETER_TENSOR_LIST;
    const aclTensor *tensor = is_list ? (const aclTensor *)call->values[parameter].handle[element]
                                      : call->argument[parameter].tensor;
    const struct call_blocks *found = custom_blocks_of(call, parameter, element, of, combination);
    if (view->is_in_blocks && found != NULL && tensor_describe(tensor, &description) &&
        (int32_t)description.format == of->format[combination] && found->blocks.plain_count == view->count &&
        view->is_contiguous)
        return ACLNN_SUCCESS;
    return refuse(call,
                  "%s is %s; a whole tensor in %s (%d), as the definition has it, is expected: "
                  "aclnnNpuFormatCast makes one",
                  call_name(call, parameter),
                  view->is_in_blocks ? "in other blocks, or a part of what lies there" : "plain",
                  block_format_name((aclFormat)of->format[combination]), (int)of->format[combination]);
}

static aclnnStatus check_view(const struct call *call, unsigned parameter, uint64_t element,
                              const struct tensor_view *view, const struct belay_operator_parameter *of,
                              uint32_t combination)
{
    const uint32_t contiguity = of->contiguity;
    if (block_format_name((aclFormat)of->format[combination]) != NULL)
        return check_blocks(call, parameter, element, view, of, combination);
    if (view->rank > OPERAND_RANK_MAX)
        return refuse(call, "%s has %u dims; at most %d are expected", call_name(call, parameter), view->rank,
                      OPERAND_RANK_MAX);
    if (contiguity != BELAY_CONTIGUOUS_EXPECTED || view->is_contiguous || view->is_in_blocks)
        return ACLNN_SUCCESS;
    return refuse(call,
                  "%s is not contiguous: it has shape %s and strides %s; a contiguous tensor, or "
                  "AutoContiguous() in the definition, is expected",
                  call_name(call, parameter), shape_text(TEXT, view),
                  dims_text(TEXT, view->rank, view->stride));
}

static aclnnStatus check_parameter(const struct call *call, unsigned parameter,
                                   const struct belay_operator_parameter *of, uint32_t combination)
{
    if (of->is_value || !call_has(call, parameter) ||
        (parameter_is_output(&call->function->parameter[parameter]) && !call->has_outputs))
        return ACLNN_SUCCESS;
    if (call->function->parameter[parameter].kind == PARAMETER_TENSOR)
        return check_view(call, parameter, 0, &call->tensor[parameter], of, combination);
    for (uint64_t i = 0; i < call->values[parameter].count; i++)
        TRY(check_view(call, parameter, i, &call->values[parameter].value.tensor[i], of, combination));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_parameters(const struct call *call, uint32_t combination)
{
    const struct custom *custom = custom_of(call);
    for (uint32_t i = 0; i < custom->operation->inputs; i++)
        TRY(check_parameter(call, custom->input_at[i], &custom->product->input[i], combination));
    for (uint32_t i = 0; i < custom->operation->outputs; i++)
        TRY(check_parameter(call, custom->output_at[i], &custom->product->output[i], combination));
    return ACLNN_SUCCESS;
}

static aclnnStatus blame(const struct call *call, const char *what, int status, const char *sentence)
{
    return fail(ACLNN_ERR_INNER_INFERSHAPE_ERROR,
                "%s: %s of the operator has failed%s%.200s; 0 is expected, and it is %#x",
                call->function->operation.name, what, sentence[0] != '\0' ? ": " : "", sentence,
                (unsigned)status);
}

/* Asks the project's functions. Outputs have nothing to begin with, but dtypes. */
static aclnnStatus ask(const struct call *call, struct custom_call *made)
{
    const struct custom *custom = custom_of(call);
    struct belay_operator_call *to = &made->call;
    int status = 0;
    for (uint32_t i = 0; i < custom->operation->outputs; i++)
        for (uint32_t k = to->first_output[i]; k < to->first_output[i + 1]; k++) {
            to->output[k].rank = to->output[k].storage_rank = -1;
            to->output[k].dtype = custom->product->output[i].dtype[made->combination];
        }
    if (custom->operation->infer_shape != NULL && (status = custom->operation->infer_shape(to)) != 0)
        return blame(call, "InferShape", status, to->sentence);
    if (custom->operation->infer_dtype != NULL && (status = custom->operation->infer_dtype(to)) != 0)
        return blame(call, "InferDataType", status, to->sentence);
    for (uint32_t i = 0; i < custom->operation->outputs; i++)
        for (uint32_t k = to->first_output[i]; k < to->first_output[i + 1]; k++) {
            const int32_t dtype = custom->product->output[i].dtype[made->combination];
            if (to->output[k].dtype != dtype)
                return fail(ACLNN_ERR_INNER_INFERSHAPE_ERROR,
                            "%s: InferDataType says %s for %s; %s, as the definition has it, is expected",
                            call->function->operation.name, dtype_name((aclDataType)to->output[k].dtype),
                            call_name(call, custom->output_at[i]), dtype_name((aclDataType)dtype));
        }
    return ACLNN_SUCCESS;
}

/* Whether something was said of the dims: -1 is a dim that nobody knows yet. */
static bool is_known(const struct belay_operator_tensor *tensor)
{
    bool known = tensor->rank >= 0 && tensor->rank <= OPERAND_RANK_MAX;
    for (int32_t i = 0; known && i < tensor->rank; i++)
        known = tensor->dim[i] >= 0;
    return known;
}

static struct shape shape_from(const struct belay_operator_tensor *tensor)
{
    struct shape shape = {.rank = (uint32_t)tensor->rank};
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.dim[i] = tensor->dim[i];
    return shape;
}

/* The first input that is a tensor, or that is a list. PARAMETERS_MAX: there is none. */
static unsigned first_input(const struct call *call, enum parameter_kind kind)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call->function->parameter[i].kind == kind && parameter_is_read(&call->function->parameter[i]) &&
            call_has(call, i))
            return i;
    return PARAMETERS_MAX;
}

static aclnnStatus add_list(const struct call *call, struct result *result, unsigned parameter,
                            const struct belay_operator_tensor *said, uint32_t count, int32_t dtype)
{
    struct output *output = result_add(result, (aclDataType)dtype, DTYPE_EQUAL);
    const unsigned like = first_input(call, PARAMETER_TENSOR_LIST);
    output->like = like < PARAMETERS_MAX ? like : parameter;
    if (!call->has_outputs)
        return ACLNN_SUCCESS;
    output->shape_rule = SHAPE_ONE; /* judged here */
    const struct call_values *list = &call->values[parameter];
    for (uint32_t i = 0; i < count; i++) {
        const struct tensor_view *view = &list->value.tensor[i];
        if (view->dtype != (aclDataType)dtype)
            return refuse(call, "tensor %u of %s has dtype %s; %s is expected", i, call_name(call, parameter),
                          dtype_name(view->dtype), dtype_name((aclDataType)dtype));
        const struct shape shape = is_known(&said[i]) ? shape_from(&said[i]) : shape_of(view);
        if (shape.rank != view->rank || memcmp(shape.dim, view->shape, shape.rank * sizeof shape.dim[0]) != 0)
            return refuse(call, "tensor %u of %s has shape %s; %s, which InferShape says, is expected", i,
                          call_name(call, parameter), shape_text(TEXT, view),
                          dims_text(TEXT, shape.rank, shape.dim));
    }
    return ACLNN_SUCCESS;
}

static void add_tensor(const struct call *call, struct result *result, unsigned parameter,
                       const struct belay_operator_tensor *said, int32_t dtype)
{
    struct output *output = result_add(result, (aclDataType)dtype, DTYPE_EQUAL);
    const unsigned like = first_input(call, PARAMETER_TENSOR);
    output->shape_rule = SHAPE_EQUAL;
    if (said != NULL && is_known(said))
        output->shape = shape_from(said);
    else if (call->has_outputs && call_has(call, parameter))
        output->shape = shape_of(&call->tensor[parameter]);
    else if (like < PARAMETERS_MAX && call->tensor[like].rank <= OPERAND_RANK_MAX)
        output->shape = shape_of(&call->tensor[like]);
}

/* The entries stand in the order of the parameters: those in place first. */
static aclnnStatus add_all(const struct call *call, const struct custom_call *made, struct result *result)
{
    const struct custom *custom = custom_of(call);
    const struct belay_operator_call *to = &made->call;
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        uint32_t output = 0;
        if (!parameter_is_written(&call->function->parameter[i]))
            continue;
        while (custom->output_at[output] != i)
            output++;
        const uint32_t first = to->first_output[output], count = to->first_output[output + 1] - first;
        const int32_t dtype = custom->product->output[output].dtype[made->combination];
        if (call->function->parameter[i].kind == PARAMETER_TENSOR_LIST)
            TRY(add_list(call, result, i, &to->output[first], count, dtype));
        else if (parameter_is_changed(&call->function->parameter[i])) /* it is what it is */
            add_tensor(call, result, i, NULL, (int32_t)call->tensor[i].dtype);
        else
            add_tensor(call, result, i, count > 0 ? &to->output[first] : NULL, dtype);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct custom_call *made, struct result *result)
{
    const struct custom *custom = custom_of(call);
    if (made->combination == custom->product->combinations)
        return refuse_combination(call, made);
    TRY(check_parameters(call, made->combination));
    TRY(ask(call, made));
    return add_all(call, made, result);
}

aclnnStatus custom_infer(const struct call *call, struct result *result)
{
    const struct custom *custom = custom_of(call);
    if (custom->status != 0)
        return fail(custom->status, "%s: %s", call->function->operation.name, custom->sentence);
    struct custom_call *made = custom_call_make(call);
    if (made == NULL)
        return fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, "%s: there is no memory for the call",
                    call->function->operation.name);
    const aclnnStatus status = infer(call, made, result);
    free(made);
    return status;
}
