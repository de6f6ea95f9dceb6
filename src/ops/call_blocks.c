/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operands in blocks, of any function: its work runs on plain copies of them, and what it has written there
 * goes back into blocks. No function knows of it, but for those that read an operand in place.
 */
#include <string.h>

#include "ops/call.h"
#include "ops/check_message.h"
#include "ops/operands.h"
#include "runtime/named/block_format.h"
#include "base/error.h"
#include "tensor/dtype.h"

/* What such a plan begins with; the function's own plan lies behind it, at plan_at. */
struct plan {
    const struct operation *runs;
    size_t plan_at;
    uint32_t operand_count, count;
    struct call_blocks operand[];
};

static aclnnStatus tell_unreadable(const struct call *call, unsigned parameter,
                                   const struct tensor_description *description)
{
    return refuse(call,
                  "%s has format %s (%d), shape %s, strides %s, offset %lld and storage shape %s; a whole %s "
                  "tensor in that format, rows of a matrix, some of its matrices, or either with its last "
                  "two dims exchanged, is "
                  "expected",
                  call_name(call, parameter), block_format_name(description->format),
                  (int)description->format, dims_text(TEXT, description->rank, description->shape),
                  dims_text(TEXT, description->rank, description->stride), (long long)description->offset,
                  dims_text(TEXT, description->storage_rank, description->storage_shape),
                  dtype_name(description->dtype));
}

/* Another thread may have changed the tensor since its view was read, by which memory is addressed. */
static bool is_view_of(const struct tensor_view *view, const struct blocks *blocks)
{
    return view->reach < blocks->plain_count && dtype_bytes(view->dtype) == blocks->bytes;
}

static aclnnStatus read_blocks(const struct call *call, unsigned parameter, const aclTensor *tensor,
                               const struct tensor_view *view, struct blocks *blocks)
{
    struct tensor_description description;
    if (!tensor_describe(tensor, &description) || block_format_name(description.format) == NULL)
        return refuse(call, "%s changes while it is read", call_name(call, parameter));
    return blocks_read(&description, blocks) && is_view_of(view, blocks)
               ? ACLNN_SUCCESS
               : tell_unreadable(call, parameter, &description);
}

aclnnStatus call_read_blocks(struct call *call)
{
    struct call_blocks *found = call_allocate(call, call->blocks_count * sizeof *found);
    if (found == NULL)
        return fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, "%s: there is no memory for what lies in blocks",
                    call->function->operation.name);
    uint32_t count = 0;
    for (unsigned n = 0; n < call->tensor_count; n++) {
        const unsigned i = call->tensor_parameter[n];
        if (!call_has(call, i))
            continue;
        const struct parameter *parameter = &call->function->parameter[i];
        const bool is_list = parameter->kind == PARAMETER_TENSOR_LIST;
        const struct tensor_view *view = is_list ? call->values[i].value.tensor : &call->tensor[i];
        for (uint64_t k = 0; k < (is_list ? call->values[i].count : 1); k++) {
            if (!view[k].is_in_blocks)
                continue;
            const aclTensor *tensor = is_list ? call->values[i].handle[k] : call->argument[i].tensor;
            found[count].operand = call->first_operand[i] + (uint32_t)k;
            found[count].is_written = parameter_is_written(parameter);
            found[count].is_read_in_place = false;
            found[count].offset = view[k].offset;
            TRY(read_blocks(call, i, tensor, &view[k], &found[count++].blocks));
        }
    }
    call->blocks = found;
    return ACLNN_SUCCESS;
}

struct call_blocks *call_blocks_of(const struct call *call, unsigned parameter)
{
    for (uint32_t i = 0; i < call->blocks_count; i++)
        if (call->blocks[i].operand == call->first_operand[parameter])
            return &call->blocks[i];
    return NULL;
}

size_t call_blocks_bytes(const struct call *call)
{
    const size_t bytes = sizeof(struct plan) + call->blocks_count * sizeof(struct call_blocks);
    return (bytes + EXECUTOR_PLAN_ALIGNMENT - 1) / EXECUTOR_PLAN_ALIGNMENT * EXECUTOR_PLAN_ALIGNMENT;
}

static const void *plan_within(const struct plan *plan)
{
    return (const unsigned char *)plan + plan->plan_at;
}

/* Of the plain copy. */
static size_t plain_bytes(const struct call_blocks *operand)
{
    return operand->is_read_in_place
               ? 0
               : whole_lines((uint64_t)operand->blocks.plain_count * operand->blocks.bytes);
}

/* Addresses in which the plain copies come one after the other, from there on. */
static void place_copies(const struct plan *plan, void *const *address, unsigned char *from, void **own)
{
    memcpy(own, address, plan->operand_count * sizeof *own);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct call_blocks *operand = &plan->operand[i];
        if (!operand->is_read_in_place)
            own[operand->operand] = from + (size_t)operand->offset * operand->blocks.bytes;
        from += plain_bytes(operand);
    }
}

/* The copy's first element, which need not be the view's. */
static void *first_of(const struct call_blocks *operand, void *const *own)
{
    return (unsigned char *)own[operand->operand] - (size_t)operand->offset * operand->blocks.bytes;
}

static size_t work_within(const struct plan *plan)
{
    return plan->runs->work_bytes != NULL ? plan->runs->work_bytes(plan_within(plan)) : 0;
}

static size_t own_bytes(const struct plan *plan)
{
    size_t bytes = whole_lines(plan->operand_count * sizeof(void *));
    for (uint32_t i = 0; i < plan->count; i++)
        bytes += plain_bytes(&plan->operand[i]);
    return bytes;
}

/* The addresses, the plain copies, and what the function works in itself. */
static size_t work_bytes(const void *plan)
{
    return own_bytes(plan) + work_within(plan);
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    void **own = scratch;
    unsigned char *copies = (unsigned char *)scratch + whole_lines(plan->operand_count * sizeof *own);
    place_copies(plan, address, copies, own);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct call_blocks *operand = &plan->operand[i];
        if (!operand->is_read_in_place)
            blocks_unpack(&operand->blocks, address[operand->operand], first_of(operand, own));
    }
    unsigned char *const work = work_within(plan) > 0 ? (unsigned char *)scratch + own_bytes(plan) : NULL;
    const int status = plan->runs->run(plan_within(plan), own, work);
    for (uint32_t i = 0; i < plan->count && status == 0; i++) {
        const struct call_blocks *operand = &plan->operand[i];
        if (operand->is_written)
            blocks_pack(&operand->blocks, first_of(operand, own), address[operand->operand]);
    }
    return status;
}

static const struct operation in_blocks = {.work_bytes = work_bytes, .run = run};

void call_wrap_blocks(const struct call *call, struct executor_content *content)
{
    struct plan *plan = (struct plan *)(void *)content->plan;
    plan->runs = content->runs;
    plan->plan_at = call_blocks_bytes(call);
    plan->operand_count = call->operand_count;
    plan->count = call->blocks_count;
    memcpy(plan->operand, call->blocks, call->blocks_count * sizeof *call->blocks);
    content->runs = &in_blocks;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct call_blocks *own = &plan->operand[i];
        struct executor_operand *operand = &content->operand[own->operand];
        operand->offset = 0;
        operand->reach = own->blocks.stored_count - 1;
        if (!own->is_read_in_place)
            content->cost_ns += blocks_cost_ns(&own->blocks) * (own->is_written ? 2 : 1);
        if (content->view == NULL)
            continue;
        /* Whoever watches accesses sees all that is stored, in a row. */
        struct executor_view *view = &content->view[own->operand];
        view->rank = 1;
        view->shape[0] = own->blocks.stored_count;
        view->stride[0] = 1;
    }
}
