/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1: reads the arguments of a call, asks the function what comes out, holds the outputs against that,
 * and makes the executor.
 */
#include "ops/call.h"
#include "ops/dims.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ops/check.h"
#include "ops/check_message.h"
#include "base/report.h"
#include "runtime/timeline/trace.h"
#include "tensor/array.h"
#include "tensor/dtype.h"

/* What the parameters of a kind are handles of; 0: they are none, or not of arrays. */
static const struct {
    enum handle_kind kind;
    uint32_t bytes;      /* of one value behind the handle */
    uint32_t copy_bytes; /* and of its copy in the call */
} arrays[PARAMETER_KINDS] = {
    [PARAMETER_TENSOR_LIST] = {HANDLE_TENSOR_LIST, sizeof(const aclTensor *), sizeof(struct tensor_view)},
    [PARAMETER_SCALAR_LIST] = {HANDLE_SCALAR_LIST, sizeof(const aclScalar *), sizeof(struct scalar_value)},
    [PARAMETER_INT_ARRAY] = {HANDLE_INT_ARRAY, sizeof(int64_t), sizeof(int64_t)},
    [PARAMETER_BOOL_ARRAY] = {HANDLE_BOOL_ARRAY, sizeof(bool), sizeof(bool)},
    [PARAMETER_FLOAT_ARRAY] = {HANDLE_FLOAT_ARRAY, sizeof(float), sizeof(float)},
};

/* A block that the call owns. */
struct owned {
    struct owned *next;
    _Alignas(16) unsigned char bytes[];
};

void *call_allocate(struct call *call, size_t bytes)
{
    size_t whole = (bytes + 15) & ~(size_t)15;
    if (whole <= CALL_ROOM_BYTES - call->room_used) {
        void *place = call->room + call->room_used;
        call->room_used += whole;
        return place;
    }
    struct owned *block = malloc(sizeof *block + bytes);
    if (block == NULL)
        return NULL;
    block->next = call->owned;
    call->owned = block;
    return block->bytes;
}

static void release(struct call *call)
{
    for (struct owned *block = call->owned, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
}

/* Copies what the handles of a list name: 161001 for one that is NULL, 161002 for one that is not live. */
static aclnnStatus read_elements(struct call *call, unsigned parameter, const void *const *handle)
{
    const struct call_values *values = &call->values[parameter];
    bool is_tensors = call->function->parameter[parameter].kind == PARAMETER_TENSOR_LIST;
    struct tensor_view *tensor = values->value.any;
    struct scalar_value *scalar = values->value.any;
    for (uint64_t i = 0; i < values->count; i++) {
        if (handle[i] == NULL)
            return ACLNN_ERR_PARAM_NULLPTR;
        if (is_tensors ? !tensor_read(handle[i], &tensor[i]) : !scalar_read(handle[i], &scalar[i]))
            return ACLNN_ERR_PARAM_INVALID;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus read_array(struct call *call, unsigned parameter)
{
    const enum parameter_kind kind = call->function->parameter[parameter].kind;
    const void *handle = call->argument[parameter].handle;
    struct call_values *values = &call->values[parameter];
    if (!array_read(arrays[kind].kind, handle, 0, 0, NULL, &values->count))
        return ACLNN_ERR_PARAM_INVALID;
    values->value.any = call_allocate(call, values->count * arrays[kind].copy_bytes);
    bool is_list = kind == PARAMETER_TENSOR_LIST || kind == PARAMETER_SCALAR_LIST;
    void *read = is_list ? call_allocate(call, values->count * arrays[kind].bytes) : values->value.any;
    if (values->value.any == NULL || read == NULL)
        return ACLNN_ERR_INNER_CREATE_EXECUTOR;
    uint64_t count;
    if (!array_read(arrays[kind].kind, handle, 0, values->count, read, &count))
        return ACLNN_ERR_PARAM_INVALID;
    values->handle = read;
    return is_list ? read_elements(call, parameter, read) : ACLNN_SUCCESS;
}

/* Copies one argument. The status is without a sentence. */
static inline aclnnStatus read_argument(struct call *call, unsigned index)
{
    const struct parameter *parameter = &call->function->parameter[index];
    const void *handle = call->argument[index].handle;
    if (!parameter_is_handle(parameter) && parameter->kind != PARAMETER_STRING)
        return ACLNN_SUCCESS;
    if (handle == NULL)
        return parameter->is_optional ? ACLNN_SUCCESS : ACLNN_ERR_PARAM_NULLPTR;
    call->given |= UINT64_C(1) << index;
    if (parameter->kind == PARAMETER_TENSOR)
        return tensor_read(handle, &call->tensor[index]) ? ACLNN_SUCCESS : ACLNN_ERR_PARAM_INVALID;
    if (parameter->kind == PARAMETER_SCALAR)
        return scalar_read(handle, &call->scalar[index]) ? ACLNN_SUCCESS : ACLNN_ERR_PARAM_INVALID;
    return parameter->kind == PARAMETER_STRING ? ACLNN_SUCCESS : read_array(call, index);
}

/* What is wrong with a handle that could not be read, as a phrase, and the rule behind it. */
static const char *handle_fault_of(const struct call *call, unsigned index, enum rule *rule)
{
    const struct parameter *parameter = &call->function->parameter[index];
    const union argument *argument = &call->argument[index];
    if (parameter->kind == PARAMETER_TENSOR) {
        *rule = tensor_rule(argument->tensor);
        return tensor_fault(argument->tensor);
    }
    if (parameter->kind == PARAMETER_SCALAR) {
        *rule = scalar_rule(argument->scalar);
        return scalar_fault(argument->scalar);
    }
    const enum handle_kind kind = arrays[parameter->kind].kind;
    uint64_t count;
    if (array_read(kind, argument->handle, 0, 0, NULL, &count)) {
        *rule = RULE_HANDLE;
        return "has an element that is no live one";
    }
    *rule = array_rule(kind, argument->handle);
    return array_fault(kind, argument->handle);
}

static __attribute__((cold)) aclnnStatus tell_unreadable(const struct call *call, unsigned index,
                                                         aclnnStatus status)
{
    const struct parameter *parameter = &call->function->parameter[index];
    const char *api = call->function->operation.name, *kind = parameter_kind_name(parameter->kind);
    if (status == ACLNN_ERR_INNER_CREATE_EXECUTOR)
        return fail(status, "%s: there is no memory for a copy of %s", api, parameter->name);
    if (status == ACLNN_ERR_PARAM_NULLPTR)
        return report_misuse(RULE_HANDLE, status, "%s: %s is NULL; a %s is expected", api,
                             call_has(call, index) ? "an element of a list" : parameter->name, kind);
    enum rule rule;
    const char *fault = handle_fault_of(call, index, &rule);
    return report_misuse(rule, status, "%s: %s %s; a live %s is expected", api, parameter->name, fault, kind);
}

/* The rules in their order, for a call in which something could not be read. */
static __attribute__((noinline, cold)) aclnnStatus judge_unreadable(struct call *call)
{
    static const aclnnStatus order[] = {ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID,
                                        ACLNN_ERR_INNER_CREATE_EXECUTOR};
    for (unsigned k = 0; k < sizeof order / sizeof order[0]; k++)
        for (unsigned i = 0; i < call->function->parameter_count; i++) {
            if (!call->has_outputs && parameter_is_output(&call->function->parameter[i]))
                continue;
            if (read_argument(call, i) == order[k])
                return tell_unreadable(call, i, order[k]);
        }
    /* It has become readable: another thread works on the same objects. */
    return refuse(call, "an argument changes while it is read");
}

static inline bool has_shape_of(const struct tensor_view *view, const struct tensor_view *first)
{
    return dims_are_same(view->rank, view->shape, first->rank, first->shape);
}

static aclnnStatus judge_views(struct call *call)
{
    for (unsigned n = 0; n < call->tensor_count; n++) {
        unsigned i = call->tensor_parameter[n];
        bool is_list = call->function->parameter[i].kind == PARAMETER_TENSOR_LIST;
        if (!call_has(call, i))
            continue;
        const struct tensor_view *view = is_list ? call->values[i].value.tensor : &call->tensor[i];
        for (uint64_t k = 0; k < (is_list ? call->values[i].count : 1); k++)
            if (!view[k].is_possible)
                return report_misuse(RULE_VIEW, ACLNN_ERR_PARAM_INVALID,
                                     "%s: %s has shape %s, strides %s and offset %" PRId64
                                     "; dims, strides and offset of 0 or more and at most 2^63 - 1 elements, "
                                     "the last one included, are expected",
                                     call->function->operation.name, call_name(call, i),
                                     shape_text(TEXT, &view[k]),
                                     dims_text(TEXT, view[k].rank, view[k].stride), view[k].offset);
    }
    return ACLNN_SUCCESS;
}

/* Enters the tensors of a parameter that has been read among the operands. */
static void add_operands(struct call *call, unsigned index, const struct tensor_view **first)
{
    const struct parameter *parameter = &call->function->parameter[index];
    bool is_list = parameter->kind == PARAMETER_TENSOR_LIST;
    call->tensor_parameter[call->tensor_count++] = (uint8_t)index;
    call->first_operand[index] = call->operand_count;
    if (is_list || !call_has(call, index)) {
        call->is_uniform = false;
        for (uint64_t k = 0; is_list && call_has(call, index) && k < call->values[index].count; k++)
            call->blocks_count += call_sees_plain(parameter, &call->values[index].value.tensor[k]);
        call->operand_count += is_list && call_has(call, index) ? (uint32_t)call->values[index].count : 1;
        return;
    }
    const struct tensor_view *view = &call->tensor[index];
    call->operand_count++;
    call->blocks_count += call_sees_plain(parameter, view);
    *first = *first == NULL ? view : *first;
    call->is_uniform = call->is_uniform && view->is_contiguous && has_shape_of(view, *first);
}

/* Reads every handle once; from here on the call works on copies alone. */
static aclnnStatus read_arguments(struct call *call)
{
    const struct function *function = call->function;
    const struct tensor_view *first = NULL;
    bool is_possible = true;
    if (CHECKS_ARE_ON && call->has_outputs && (call->workspace_bytes == NULL || call->executor == NULL))
        return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL; the address of a variable is expected",
                    function->operation.name, call->workspace_bytes == NULL ? "workspaceSize" : "executor");
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        if (!call->has_outputs && parameter_is_output(parameter))
            continue;
        if (__builtin_expect(read_argument(call, i) != ACLNN_SUCCESS, 0))
            return judge_unreadable(call);
        if (!parameter_is_tensor(parameter))
            continue;
        add_operands(call, i, &first);
        is_possible = is_possible && parameter->kind == PARAMETER_TENSOR &&
                      (!call_has(call, i) || call->tensor[i].is_possible);
    }
    if (!is_possible && CHECKS_ARE_ON)
        TRY(judge_views(call));
    return __builtin_expect(call->blocks_count == 0, 1) ? ACLNN_SUCCESS : call_read_blocks(call);
}

/* All that is read before it is written. */
static void open_call(struct call *call, const struct function *function, const union argument *argument)
{
    call->function = function;
    call->argument = argument;
    call->given = 0;
    call->is_uniform = true;
    call->tensor_count = 0;
    call->operand_count = 0;
    call->blocks_count = 0;
    call->blocks = NULL;
    call->room_used = 0;
    call->owned = NULL;
}

static inline aclnnStatus infer(const struct call *call, struct result *result)
{
    result->count = 0;
    return call->function->infer(call, result);
}

aclnnStatus function_plan_anew(const struct function *function, const union argument *argument,
                               uint64_t *workspaceSize, aclOpExecutor **executor)
{
    TRACE_CALL_AS(function->operation.name, TRACE_CALL_PHASE_1);
    struct call call __attribute__((uninitialized));
    struct result result __attribute__((uninitialized));
    open_call(&call, function, argument);
    call.workspace_bytes = workspaceSize;
    call.executor = executor;
    call.has_outputs = true;
    call.result = &result;
    if (settings_get(&call.settings) != 0)
        return ACLNN_ERR_RUNTIME_ERROR; /* its sentence says which variable, or that this is a fork */
    aclnnStatus status = read_arguments(&call);
    if (status == ACLNN_SUCCESS)
        status = infer(&call, &result);
    if (status == ACLNN_SUCCESS && CHECKS_ARE_ON)
        status = check_outputs(&call, &result);
    if (status == ACLNN_SUCCESS)
        status = function->plan(&call, &result);
    release(&call);
    return __builtin_expect(status == ACLNN_SUCCESS, 1)
               ? status
               : function_refuse_later(function, status, workspaceSize, executor);
}

aclnnStatus function_infer(const struct function *function, const union argument *argument,
                           struct result *result)
{
    struct call call __attribute__((uninitialized));
    open_call(&call, function, argument);
    call.workspace_bytes = NULL;
    call.executor = NULL;
    call.has_outputs = false;
    if (settings_get(&call.settings) != 0)
        return ACLNN_ERR_RUNTIME_ERROR;
    aclnnStatus status = read_arguments(&call);
    if (status == ACLNN_SUCCESS)
        status = infer(&call, result);
    /* Whoever allocates has no use for "like that tensor". */
    for (unsigned i = 0; status == ACLNN_SUCCESS && i < result->count; i++) {
        struct output *output = &result->output[i];
        const struct tensor_view *like = &call.tensor[output->like];
        if (output->shape_rule != SHAPE_LIKE || function->parameter[output->like].kind != PARAMETER_TENSOR ||
            like->rank > OPERAND_RANK_MAX)
            continue;
        output->shape_rule = SHAPE_EQUAL;
        output->shape.rank = like->rank;
        for (uint32_t k = 0; k < like->rank; k++)
            output->shape.dim[k] = like->shape[k];
    }
    release(&call);
    return status;
}

struct output *result_add(struct result *result, aclDataType dtype, enum dtype_rule rule)
{
    struct output *output = &result->output[result->count++];
    *output = (struct output){.dtype = dtype, .dtype_rule = rule};
    return output;
}

void result_like(struct result *result, const struct call *call, unsigned parameter)
{
    result->computed = call->tensor[parameter].dtype;
    result_add(result, result->computed, DTYPE_EQUAL)->like = parameter;
}

struct shape *result_reshaped(struct result *result, const struct call *call, unsigned parameter,
                              struct shape shape)
{
    struct output *output = &result->output[result->count];
    result_like(result, call, parameter);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape;
    return &output->shape;
}

unsigned call_written(const struct call *call, unsigned n)
{
    unsigned parameter = 0;
    for (;; parameter++)
        if (parameter_is_written(&call->function->parameter[parameter]) && n-- == 0)
            return parameter;
}

/* The place of a parameter among those that programs set addresses of. */
struct operand_place {
    uint16_t parameter, input, output;
};

static void fill_operand(const struct call *call, unsigned parameter, const void *tensor,
                         const struct tensor_view *view, struct operand_place place,
                         struct executor_operand *operand)
{
    /* Two elements to a byte: the operand counts bytes. (An offset is not negative here.) */
    const bool is_halved = dtype_is_packed(view->dtype);
    *operand = (struct executor_operand){
        .tensor = tensor,
        .data = view->data,
        .offset = view->offset >> is_halved,
        .reach = view->reach >> is_halved,
        .element_bytes = is_halved ? 1 : (uint8_t)dtype_bytes(view->dtype),
        .version = view->version,
        .parameter = place.parameter,
        .input = place.input,
        .output = place.output,
        .is_empty = view->count == 0,
        .name = call->function->parameter[parameter].name,
    };
}

static void fill_list(const struct call *call, unsigned parameter, struct operand_place place,
                      struct executor_operand *operand)
{
    const struct call_values *list = &call->values[parameter];
    for (uint64_t k = 0; k < list->count; k++) {
        fill_operand(call, parameter, list->handle[k], &list->value.tensor[k], place, &operand[k]);
        operand[k].list_length = (uint32_t)list->count;
        operand[k].element = (uint32_t)k;
    }
}

static void fill_operands(const struct call *call, struct executor_operand *operand)
{
    static const struct tensor_view absent = {.count = 0, .dtype = ACL_FLOAT};
    uint16_t inputs = 0, outputs = 0; /* what is changed is both, also where it is not read */
    for (unsigned n = 0; n < call->tensor_count; n++) {
        unsigned i = call->tensor_parameter[n];
        const struct parameter *parameter = &call->function->parameter[i];
        bool is_input = parameter->role != ROLE_WRITTEN && parameter->role != ROLE_IGNORED,
             is_output = parameter_is_written(parameter);
        struct operand_place place = {.parameter = (uint16_t)n,
                                      .input = is_input ? inputs++ : OPERAND_IN_NO_PLACE,
                                      .output = is_output ? outputs++ : OPERAND_IN_NO_PLACE};
        if (parameter->kind == PARAMETER_TENSOR_LIST && call_has(call, i))
            fill_list(call, i, place, operand + call->first_operand[i]);
        else
            fill_operand(call, i, call->argument[i].handle, call_has(call, i) ? &call->tensor[i] : &absent,
                         place, operand + call->first_operand[i]);
    }
}

/* What executor_repeat compares. */
static void remember_call(const struct call *call, struct executor_content *content)
{
    for (uint32_t i = 0; i < content->argument_count; i++) {
        const enum parameter_kind kind = call->function->parameter[i].kind;
        uint64_t word;
        memcpy(&word, &call->argument[i], sizeof word);
        executor_remember(content, i, word,
                          (uint8_t)(kind == PARAMETER_SCALAR ? HANDLE_SCALAR : arrays[kind].kind));
    }
}

/* Whether a call has a text. Nothing is remembered of such calls: the same address may hold another text. */
static bool has_text(const struct call *call)
{
    for (uint32_t i = 0; i < call->function->parameter_count; i++)
        if (call->function->parameter[i].kind == PARAMETER_STRING)
            return true;
    return false;
}

aclnnStatus call_begin(const struct call *call, size_t plan_bytes, struct executor_content **content,
                       void **plan)
{
    const size_t blocks_bytes = call->blocks_count > 0 ? call_blocks_bytes(call) : 0;
    TRY(executor_begin(&call->function->operation, call->operand_count,
                       has_text(call) ? 0 : call->function->parameter_count, blocks_bytes + plan_bytes,
                       content));
    fill_operands(call, (*content)->operand);
    if (__builtin_expect((*content)->view != NULL, 0))
        call_keep_views(call, (*content)->view);
    remember_call(call, *content);
    *plan = (*content)->plan + blocks_bytes;
    return ACLNN_SUCCESS;
}

void call_finish(const struct call *call, struct executor_content *content)
{
    if (__builtin_expect(call->blocks_count > 0, 0))
        call_wrap_blocks(call, content);
    executor_finish(content, call->workspace_bytes, call->executor);
}

aclnnStatus call_idle(const struct call *call)
{
    struct executor_content *content;
    void *plan;
    TRY(call_begin(call, 0, &content, &plan));
    content->is_idle = true;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}
