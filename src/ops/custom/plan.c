/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1 of an operator of a project: its tiling function cuts the work, and the kernel is looked for.
 */
#include "ops/custom/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ops/check.h"
#include "ops/custom/custom.h"
#include "runtime/tasks/task.h"
#include "tensor/dtype.h"
#include "tensor/scratch.h"

enum { TILING_ROOM = 64 << 10 };

/* More than any memory has, and so little that sums with it can be counted. */
static const uint64_t workspace_most = UINT64_C(1) << 48;

static aclnnStatus tiling_fault(const struct call *call, const char *sentence)
{
    return fail(ACLNN_ERR_INNER_TILING_ERROR, "%s: %s", call->function->operation.name, sentence);
}

static aclnnStatus cut(const struct call *call, struct belay_operator_call *to)
{
    const char *api = call->function->operation.name;
    const struct custom *custom = custom_of(call);
    if (custom->operation->tiling == NULL)
        return tiling_fault(call,
                            "no tiling function is registered; AICore().SetTiling(f) in the definition, or "
                            "IMPL_OP_OPTILING(...).Tiling(f), is expected");
    const int status = custom->operation->tiling(to);
    if (status != 0)
        return fail(ACLNN_ERR_INNER_TILING_ERROR,
                    "%s: the tiling function has failed%s%.240s; 0 is expected, and it is %#x", api,
                    to->sentence[0] != '\0' ? ": " : "", to->sentence, (unsigned)status);
    if (to->tiling_bytes > to->tiling_room)
        return fail(ACLNN_ERR_INNER_TILING_ERROR,
                    "%s: the tiling data have %" PRIu64 " bytes; %" PRIu64
                    ", their capacity, at most are expected",
                    api, to->tiling_bytes, to->tiling_room);
    if (to->workspace_bytes > workspace_most)
        return fail(ACLNN_ERR_INNER_TILING_ERROR,
                    "%s: the tiling function asks for workspaces of %" PRIu64 " bytes; %" PRIu64
                    " at most are expected",
                    api, to->workspace_bytes, workspace_most);
    if (to->blocks == 0 || to->blocks > UINT16_MAX)
        return fail(ACLNN_ERR_STATIC_BLOCK_DIM_INVALID,
                    "%s: the tiling function has set %u blocks; SetBlockDim with 1 to %d is expected", api,
                    to->blocks, UINT16_MAX);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_key(const struct call *call, const struct belay_operator_kernel *kernel,
                             uint64_t key)
{
    struct text known = {0};
    for (uint32_t i = 0; i < kernel->key_count; i++) {
        if (kernel->key[i] == key)
            return ACLNN_SUCCESS;
        text_append(&known, "%s%" PRIu64, i > 0 ? ", " : "", kernel->key[i]);
    }
    if (kernel->key_count == 0)
        return ACLNN_SUCCESS;
    return fail(ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
                "%s: the tiling key is %" PRIu64
                ", which the kernel %.100s has no branch for; one of %s is expected",
                call->function->operation.name, key, custom_of(call)->product->kernel, known.bytes);
}

/* What is put together: how much room there is to be, and, once there is a plan, where it goes. */
struct making {
    const struct call *call;
    struct custom_plan *plan; /* NULL: count alone */
    uint32_t combination;
    uint32_t arguments, tensors;
    uint64_t data, scratch;
};

static uint64_t take_data(struct making *making, const void *from, uint64_t bytes)
{
    const uint64_t at = making->data;
    making->data += whole_lines(bytes);
    if (making->plan != NULL && bytes > 0)
        memcpy(custom_data(making->plan) + at, from, bytes);
    return at;
}

static uint64_t take_scratch(struct making *making, uint64_t bytes)
{
    const uint64_t at = making->scratch;
    making->scratch += whole_lines(bytes);
    return at;
}

static void put_tensor(struct making *making, unsigned parameter, uint64_t element,
                       const struct tensor_view *view, const struct belay_operator_parameter *definition)
{
    const struct parameter *of = &making->call->function->parameter[parameter];
    const uint32_t contiguity = definition->contiguity;
    const bool is_copied = contiguity == BELAY_CONTIGUOUS_MADE && !view->is_contiguous && view->count > 0;
    const uint64_t count =
        (uint64_t)(contiguity == BELAY_CONTIGUOUS_NOT ? view->reach - view->offset + 1 : view->count);
    const uint64_t bytes = view->count == 0 ? 0 : count * dtype_bytes(view->dtype);
    struct custom_tensor tensor = {.address = making->call->first_operand[parameter] + (uint32_t)element,
                                   .is_written = parameter_is_written(of),
                                   .is_copied = is_copied,
                                   .bytes = bytes};
    struct call_blocks *blocks =
        custom_blocks_of(making->call, parameter, element, definition, making->combination);
    if (blocks != NULL) {
        blocks->is_read_in_place = true;
        tensor.bytes = (uint64_t)blocks->blocks.stored_count * blocks->blocks.bytes >> blocks->is_packed;
    } else if (is_copied) {
        tensor.copy_at = take_scratch(making, bytes);
        tensor.port =
            port_of_view(transfer_of(making->call->settings->isa), view, tensor.address, view->dtype);
    }
    if (making->plan != NULL)
        custom_tensors(making->plan)[making->tensors] = tensor;
    making->tensors++;
}

/* The words in front of a list's addresses: where these are, and the dims of each tensor. */
static uint64_t put_list(struct making *making, const struct call_values *list)
{
    uint64_t words = 1, first = making->data;
    for (uint64_t i = 0; i < list->count; i++)
        words += 1 + list->value.tensor[i].rank;
    making->data += whole_lines(words * sizeof(uint64_t));
    if (making->plan == NULL)
        return words * sizeof(uint64_t);
    uint64_t *to = (uint64_t *)(void *)(custom_data(making->plan) + first);
    *to++ = words * sizeof(uint64_t);
    for (uint64_t i = 0; i < list->count; i++) {
        const struct tensor_view *view = &list->value.tensor[i];
        *to++ = view->rank | i << 32;
        for (uint32_t k = 0; k < view->rank; k++)
            *to++ = (uint64_t)view->shape[k];
    }
    return words * sizeof(uint64_t);
}

static void put_parameter(struct making *making, unsigned parameter,
                          const struct belay_operator_parameter *of)
{
    const struct call *call = making->call;
    const enum parameter_kind kind = call->function->parameter[parameter].kind;
    struct custom_argument argument = {.kind = CUSTOM_NONE, .first = making->tensors, .at = making->data};
    if (!call_has(call, parameter)) {
        argument.kind = CUSTOM_NONE;
    } else if (of->is_value) {
        const uint64_t bytes = call->values[parameter].count * dtype_bytes((aclDataType)of->dtype[0]);
        argument.kind = CUSTOM_VALUES;
        argument.bytes = bytes;
        argument.at = take_data(making, call->values[parameter].value.any, bytes);
    } else if (kind == PARAMETER_TENSOR_LIST) {
        const struct call_values *list = &call->values[parameter];
        argument.kind = CUSTOM_LIST;
        argument.count = (uint32_t)list->count;
        argument.bytes = put_list(making, list);
        argument.made_at = take_scratch(making, argument.bytes + list->count * sizeof(uint64_t));
        for (uint64_t i = 0; i < list->count; i++)
            put_tensor(making, parameter, i, &list->value.tensor[i], of);
    } else {
        argument.kind = CUSTOM_TENSOR;
        argument.count = 1;
        put_tensor(making, parameter, 0, &call->tensor[parameter], of);
    }
    if (making->plan != NULL)
        making->plan->argument[making->arguments] = argument;
    making->arguments++;
}

/* All but workspace and tiling, whose places are behind. A tensor in place is two parameters of the kernel's, and one
 * tensor: the output's is the input's again. */
static void put_all(struct making *making)
{
    const struct custom *custom = custom_of(making->call);
    const uint32_t inputs = custom->operation->inputs;
    for (uint32_t i = 0; i < inputs; i++)
        put_parameter(making, custom->input_at[i], &custom->product->input[i]);
    for (uint32_t i = 0; i < custom->operation->outputs; i++) {
        uint32_t same = 0;
        while (same < inputs && custom->input_at[same] != custom->output_at[i])
            same++;
        if (same == inputs) {
            put_parameter(making, custom->output_at[i], &custom->product->output[i]);
            continue;
        }
        if (making->plan != NULL)
            making->plan->argument[making->arguments] = making->plan->argument[same];
        making->arguments++;
    }
}

/* Pointers and what memory there is: made for each run. */
static uint64_t tables_bytes(uint32_t arguments, uint32_t tensors)
{
    return whole_lines(arguments * sizeof(void *)) +
           whole_lines((2 * (uint64_t)arguments + tensors) * sizeof(struct belay_operator_memory));
}

static aclnnStatus build(const struct call *call, const struct custom_call *described,
                         const struct belay_operator_kernel *kernel)
{
    const struct belay_operator_call *to = &described->call;
    struct making making = {.call = call, .combination = described->combination};
    struct executor_content *content;
    void *made;
    put_all(&making);
    const uint64_t tensors_at = whole_lines(sizeof(struct custom_plan) +
                                            (making.arguments + 2) * sizeof(struct custom_argument)),
                   data_at = tensors_at + whole_lines(making.tensors * sizeof(struct custom_tensor));
    const uint64_t bytes = data_at + making.data + whole_lines(to->tiling_bytes);
    TRY(call_begin(call, bytes, &content, &made));
    struct custom_plan *plan = made;
    *plan = (struct custom_plan){.name = custom_of(call)->product->kernel,
                                 .kernel = kernel,
                                 .tiling_key = to->tiling_key,
                                 .workspace_bytes = to->workspace_bytes,
                                 .tiling_bytes = to->tiling_bytes,
                                 .blocks = to->blocks,
                                 .argument_count = making.arguments + 2,
                                 .tensor_count = making.tensors,
                                 .tensors_at = tensors_at,
                                 .data_at = data_at};
    making = (struct making){.call = call,
                             .plan = plan,
                             .combination = described->combination,
                             .scratch = whole_lines(to->workspace_bytes)};
    put_all(&making);
    plan->argument[making.arguments] = (struct custom_argument){.kind = CUSTOM_WORKSPACE};
    plan->argument[making.arguments + 1] = (struct custom_argument){.kind = CUSTOM_TILING};
    plan->tiling_at = take_data(&making, to->tiling, to->tiling_bytes);
    plan->scratch_bytes = making.scratch + tables_bytes(plan->argument_count, plan->tensor_count);
    if (content->workspace_bytes < to->workspace_bytes)
        content->workspace_bytes = to->workspace_bytes;
    content->cost_ns = TASK_NEVER_INLINE;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* There is an element to be computed. */
static bool has_work(const struct call *call)
{
    const struct custom *custom = custom_of(call);
    for (uint32_t i = 0; i < custom->operation->outputs; i++) {
        const unsigned at = custom->output_at[i];
        const bool is_list = call->function->parameter[at].kind == PARAMETER_TENSOR_LIST;
        for (uint64_t k = 0; call_has(call, at) && k < (is_list ? call->values[at].count : 1); k++)
            if ((is_list ? call->values[at].value.tensor[k].count : call->tensor[at].count) > 0)
                return true;
    }
    return false;
}

static aclnnStatus plan_call(const struct call *call, struct custom_call *made)
{
    struct belay_operator_call *to = &made->call;
    aclnnStatus status = ACLNN_SUCCESS;
    TRY(cut(call, to));
    const struct belay_operator_kernel *kernel =
        custom_find_kernel(custom_of(call), made->combination, &status);
    if (kernel == NULL)
        return status;
    TRY(check_key(call, kernel, to->tiling_key));
    return build(call, made, kernel);
}

aclnnStatus custom_plan(const struct call *call, const struct result *result)
{
    (void)result;
    if (!has_work(call))
        return call_idle(call);
    struct custom_call *made = custom_call_make(call);
    unsigned char *tiling = malloc(TILING_ROOM);
    aclnnStatus status = ACLNN_ERR_INNER_CREATE_EXECUTOR;
    if (made == NULL || tiling == NULL) {
        status = fail(status, "%s: there is no memory for the call", call->function->operation.name);
    } else {
        memset(tiling, 0, TILING_ROOM);
        made->call.tiling = tiling;
        made->call.tiling_room = TILING_ROOM;
        status = plan_call(call, made);
    }
    free(made);
    free(tiling);
    return status;
}
