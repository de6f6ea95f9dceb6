/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operands in blocks, and packed ones, of any function: its work runs on plain copies of them, and what it has
 * written there goes back. No function knows of it, but for those that read an operand in place.
 */
#include <string.h>

#include "ops/call.h"
#include "ops/check_message.h"
#include "ops/known_blocks.h"
#include "ops/operands.h"
#include "ops/span.h"
#include "runtime/named/block_format.h"
#include "runtime/streams/fault.h"
#include "runtime/tasks/task.h"
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
                               const struct tensor_view *view, struct call_blocks *found)
{
    struct tensor_description description;
    if (!tensor_describe(tensor, &description) || block_format_name(description.format) == NULL)
        return refuse(call, "%s changes while it is read", call_name(call, parameter));
    const bool says_all = blocks_read(&description, &found->blocks) && is_view_of(view, &found->blocks);
    if (says_all && found->is_written)
        known_blocks_keep(&description, &found->blocks);
    found->is_known_before = !says_all;
    return says_all || (!found->is_written && known_blocks_find(&description, &found->blocks) &&
                        is_view_of(view, &found->blocks))
               ? ACLNN_SUCCESS
               : tell_unreadable(call, parameter, &description);
}

/* A packed operand that is plain otherwise: the copy begins with the element that its first byte does. */
static aclnnStatus read_halves(const struct call *call, unsigned parameter, const struct tensor_view *view,
                               struct call_blocks *found)
{
    if (view->rank > OPERAND_RANK_MAX)
        return refuse(call, "%s has %u dims; at most %d are expected of %s", call_name(call, parameter),
                      view->rank, OPERAND_RANK_MAX, dtype_name(view->dtype));
    const struct span span = span_of(view, SPAN_AS_IT_IS);
    found->axis_count = span.axis_count;
    memcpy(found->size, span.size, sizeof span.size);
    memcpy(found->stride, span.stride, sizeof span.stride);
    found->offset = view->offset % 2;
    found->count = view->count > 0 ? view->reach - view->offset + found->offset + 1 : 0;
    return ACLNN_SUCCESS;
}

static aclnnStatus read_operand(const struct call *call, unsigned parameter, const aclTensor *tensor,
                                const struct tensor_view *view, struct call_blocks *found)
{
    found->is_written = parameter_is_written(&call->function->parameter[parameter]);
    found->is_packed = dtype_is_packed(view->dtype);
    found->is_in_blocks = view->is_in_blocks;
    found->is_packed_again = found->is_packed && !parameter_unpacks(&call->function->parameter[parameter]);
    found->is_read_in_place = found->is_known_before = false;
    if (!view->is_in_blocks)
        return read_halves(call, parameter, view, found);
    TRY(read_blocks(call, parameter, tensor, view, found));
    found->offset = view->offset;
    found->count = found->blocks.plain_count;
    return ACLNN_SUCCESS;
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
            if (!call_sees_plain(parameter, &view[k]))
                continue;
            const aclTensor *tensor = is_list ? call->values[i].handle[k] : call->argument[i].tensor;
            found[count].operand = call->first_operand[i] + (uint32_t)k;
            TRY(read_operand(call, i, tensor, &view[k], &found[count++]));
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

static uint32_t bytes_of(const struct call_blocks *operand)
{
    return operand->is_in_blocks ? operand->blocks.bytes : 1;
}

/* Where the view begins in it. */
static size_t offset_bytes(const struct call_blocks *operand)
{
    return (size_t)operand->offset * bytes_of(operand) >> operand->is_packed_again;
}

/* Of the plain copy, and behind it of the blocks whose elements are packed. */
static size_t plain_bytes(const struct call_blocks *operand)
{
    return operand->is_read_in_place ? 0 : whole_lines((uint64_t)operand->count * bytes_of(operand));
}

static size_t copy_bytes(const struct call_blocks *operand)
{
    const bool has_halves = operand->is_packed && operand->is_in_blocks && !operand->is_read_in_place;
    return plain_bytes(operand) + (has_halves ? whole_lines((uint64_t)operand->blocks.stored_count) : 0);
}

/* Addresses in which the plain copies come one after the other, from there on. */
static void place_copies(const struct plan *plan, void *const *address, unsigned char *from, void **own)
{
    memcpy(own, address, plan->operand_count * sizeof *own);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct call_blocks *operand = &plan->operand[i];
        if (!operand->is_read_in_place && operand->count > 0)
            own[operand->operand] = from + offset_bytes(operand);
        from += copy_bytes(operand);
    }
}

/* The copy's first element, which need not be the view's. */
static unsigned char *first_of(const struct call_blocks *operand, void *const *own)
{
    return (unsigned char *)own[operand->operand] - offset_bytes(operand);
}

/* Elements that follow one another, from that of the first byte on. */
static void unpack_halves(const uint8_t *from, uint64_t count, uint8_t *to)
{
    for (uint64_t i = 0; i < count / 2; i++) {
        to[2 * i] = from[i] & 15;
        to[2 * i + 1] = from[i] >> 4;
    }
    if (count % 2 != 0)
        to[count - 1] = from[count / 2] & 15;
}

static inline void put_half(uint8_t *to, uint64_t at, uint8_t code)
{
    const unsigned shift = at % 2 * 4;
    to[at / 2] = (uint8_t)((to[at / 2] & ~(15U << shift)) | (code & 15U) << shift);
}

/* Elements that lie so far apart, to the same places; nothing beside them is written. */
static void pack_halves(const uint8_t *from, uint64_t at, uint64_t count, uint64_t step, uint8_t *to)
{
    uint64_t i = 0;
    if (step == 1) {
        if (count > 0 && at % 2 != 0) {
            put_half(to, at, from[at]);
            i = 1;
        }
        for (; i + 2 <= count; i += 2)
            to[(at + i) / 2] = (uint8_t)((from[at + i] & 15) | from[at + i + 1] << 4);
    }
    for (; i < count; i++)
        put_half(to, at + i * step, from[at + i * step]);
}

static void pack_view(const struct call_blocks *operand, const uint8_t *from, uint8_t *to)
{
    const uint32_t last = operand->axis_count - 1;
    uint64_t rows = 1;
    for (uint32_t k = 0; k < last; k++)
        rows *= (uint64_t)operand->size[k];
    for (uint64_t row = 0; row < rows; row++) {
        uint64_t place = (uint64_t)operand->offset, left = row;
        for (uint32_t k = last; k-- > 0; left /= (uint64_t)operand->size[k])
            place += left % (uint64_t)operand->size[k] * (uint64_t)operand->stride[k];
        pack_halves(from, place, (uint64_t)operand->size[last], (uint64_t)operand->stride[last], to);
    }
}

/* From the last one on, so that both may begin at one address. */
static void unpack_in_place(uint8_t *memory, uint64_t count)
{
    for (uint64_t i = count; i-- > 0;)
        memory[i] = memory[i / 2] >> i % 2 * 4 & 15;
}

/* False where other matrices lie there than those that the view is known to be of. */
static bool bring_copy(const struct call_blocks *operand, const void *stored, unsigned char *plain)
{
    unsigned char *halves = plain + plain_bytes(operand);
    if (!operand->is_in_blocks)
        unpack_halves(stored, (uint64_t)operand->count, plain);
    else if (operand->is_packed)
        unpack_halves(stored, (uint64_t)operand->blocks.stored_count, halves);
    const void *const blocks = operand->is_packed ? halves : stored;
    if (operand->is_in_blocks)
        blocks_unpack(&operand->blocks, blocks, plain);
    const bool fits = !operand->is_known_before || known_blocks_fit(&operand->blocks, blocks);
    if (operand->is_packed_again)
        pack_halves(plain, 0, (uint64_t)operand->count, 1, plain);
    return fits;
}

static void deliver_copy(const struct call_blocks *operand, unsigned char *plain, void *stored)
{
    unsigned char *halves = plain + plain_bytes(operand);
    if (operand->is_packed_again)
        unpack_in_place(plain, (uint64_t)operand->count);
    if (!operand->is_in_blocks)
        pack_view(operand, plain, stored);
    else
        blocks_pack(&operand->blocks, plain, operand->is_packed ? halves : stored);
    if (operand->is_in_blocks && operand->is_packed)
        pack_halves(halves, 0, (uint64_t)operand->blocks.stored_count, 1, stored);
}

static size_t work_within(const struct plan *plan)
{
    return plan->runs->work_bytes != NULL ? plan->runs->work_bytes(plan_within(plan)) : 0;
}

static size_t own_bytes(const struct plan *plan)
{
    size_t bytes = whole_lines(plan->operand_count * sizeof(void *));
    for (uint32_t i = 0; i < plan->count; i++)
        bytes += copy_bytes(&plan->operand[i]);
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
        if (!operand->is_read_in_place && operand->count > 0 &&
            !bring_copy(operand, address[operand->operand], first_of(operand, own)))
            return operation_fail(
                ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                "a view within a tensor in blocks is read, whose rows are longer, or more, "
                "than those that were last laid out there; a view of the whole is expected");
    }
    unsigned char *const work = work_within(plan) > 0 ? (unsigned char *)scratch + own_bytes(plan) : NULL;
    const int status = plan->runs->run(plan_within(plan), own, work);
    for (uint32_t i = 0; i < plan->count && status == 0; i++) {
        const struct call_blocks *operand = &plan->operand[i];
        if (operand->is_written && operand->count > 0 && !operand->is_read_in_place)
            deliver_copy(operand, first_of(operand, own), address[operand->operand]);
    }
    return status;
}

static const struct operation in_blocks = {.work_bytes = work_bytes, .run = run};

/* What is never to run on the thread that queues it, as it waits for other ranks, stays so. */
static void add_cost(struct executor_content *content, uint64_t cost_ns)
{
    if (content->cost_ns != TASK_NEVER_INLINE)
        content->cost_ns += cost_ns;
}

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
        if (!own->is_in_blocks) {
            add_cost(content, (uint64_t)own->count / 2 * (own->is_written ? 2 : 1));
            continue;
        }
        operand->offset = 0;
        operand->reach = (own->blocks.stored_count - 1) >> own->is_packed;
        if (!own->is_read_in_place)
            add_cost(content, blocks_cost_ns(&own->blocks) * (own->is_written ? 2 : 1));
        if (content->view == NULL)
            continue;
        /* Whoever watches accesses sees all that is stored, in a row. */
        struct executor_view *view = &content->view[own->operand];
        view->rank = 1;
        view->shape[0] = own->blocks.stored_count;
        view->stride[0] = 1;
    }
}
