/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements made by their numbers, in pieces.
 */
#include "ops/loops/numbered.h"

#include <string.h>

#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/operands.h"
#include "tensor/dtype.h"

enum { PIECES_AT_ONCE = 16, ELEMENT_BYTES_MAX = 16 };

/* A request with operands in place of parameters. */
struct numbered {
    numbered_function *make;
    uint32_t out_at, input_count, input_at[NUMBERED_INPUTS];
    struct span out, input[NUMBERED_INPUTS];
    bool is_by_number[NUMBERED_INPUTS];
    aclDataType made, dtype, input_dtype[NUMBERED_INPUTS];
    uint64_t cost_ns;
    _Alignas(16) unsigned char parameters[NUMBERED_ROOM];
};

struct numbered_plan {
    const struct transfer *transfer;
    uint32_t count;
    struct numbered numbered[]; /* count: NUMBERED_WALKS at most */
};

struct span numbered_broadcast(const struct tensor_view *input, const struct tensor_view *shape)
{
    struct tensor_view view = *shape;
    const uint32_t missing = shape->rank - input->rank;
    view.dtype = input->dtype;
    for (uint32_t i = 0; i < shape->rank; i++)
        view.stride[i] = i < missing || input->shape[i - missing] == 1 ? 0 : input->stride[i - missing];
    return span_of(&view, SPAN_AS_IT_IS);
}

struct numbered_request numbered_request(const struct call *call, unsigned out, numbered_function *make,
                                         aclDataType made)
{
    return (struct numbered_request){.make = make,
                                     .out = out,
                                     .span = span_of(&call->tensor[out], SPAN_AS_IT_IS),
                                     .made = made,
                                     .element_ps = 1000};
}

void numbered_add_input(struct numbered_request *request, const struct call *call, unsigned parameter,
                        bool is_by_number)
{
    const struct tensor_view *view = &call->tensor[parameter];
    struct numbered_input *input = &request->input[request->input_count++];
    input->parameter = parameter;
    input->is_by_number = is_by_number;
    input->span =
        is_by_number ? numbered_broadcast(view, &call->tensor[request->out]) : span_of(view, SPAN_AS_IT_IS);
}

static void fill_in(const struct call *call, const struct numbered_request *request,
                    struct numbered *numbered)
{
    *numbered = (struct numbered){
        .make = request->make,
        .out_at = call->first_operand[request->out],
        .input_count = request->input_count,
        .out = request->span,
        .made = request->made,
        .dtype = call->tensor[request->out].dtype,
        .cost_ns = (uint64_t)((double)request->span.count * request->element_ps / 1000),
    };
    for (unsigned i = 0; i < request->input_count; i++) {
        const struct numbered_input *input = &request->input[i];
        numbered->input_at[i] = call->first_operand[input->parameter];
        numbered->input[i] = input->span;
        numbered->is_by_number[i] = input->is_by_number;
        numbered->input_dtype[i] = call->tensor[input->parameter].dtype;
    }
    if (request->parameter_bytes > 0)
        memcpy(numbered->parameters, request->parameters, request->parameter_bytes);
}

/* Whether nothing but this input of this walk reads an operand, and this walk alone writes to its own. */
static bool is_alone(const struct numbered_plan *plan, uint32_t walk, uint32_t input)
{
    const struct numbered *reader = &plan->numbered[walk];
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct numbered *other = &plan->numbered[i];
        if (i != walk && other->out_at == reader->out_at)
            return false;
        for (uint32_t k = 0; k < other->input_count; k++)
            if ((i != walk || k != input) && other->input_at[k] == reader->input_at[input])
                return false;
    }
    return true;
}

/* Elements are read and made by the same numbers: an input that lies as the output does may be it. */
static void let_be_in_place(const struct numbered_plan *plan, uint32_t walk, struct executor_content *content)
{
    const struct numbered *numbered = &plan->numbered[walk];
    for (uint32_t k = 0; k < numbered->input_count; k++)
        if (numbered->is_by_number[k] && spans_agree(&numbered->input[k], &numbered->out) &&
            is_alone(plan, walk, k))
            operands_may_be(content, numbered->input_at[k], numbered->out_at);
}

aclnnStatus numbered_plan(const struct call *call, const struct numbered_request *request, unsigned count)
{
    struct executor_content *content;
    void *made;
    uint64_t elements = 0;
    for (unsigned i = 0; i < count; i++)
        elements |= request[i].span.count;
    if (elements == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct numbered_plan) + count * sizeof(struct numbered), &content, &made));
    struct numbered_plan *plan = (struct numbered_plan *)made;
    plan->transfer = transfer_of(call->settings->isa);
    plan->count = count;
    for (unsigned i = 0; i < count; i++) {
        fill_in(call, &request[i], &plan->numbered[i]);
        content->cost_ns += plan->numbered[i].cost_ns;
    }
    for (unsigned i = 0; i < count; i++)
        let_be_in_place(plan, i, content);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

void numbered_read(const struct numbered_walk *walk, unsigned input, uint64_t at, uint64_t count, void *to)
{
    span_read(walk->span[input], walk->transfer, walk->input[input], at, to, count);
}

void numbered_read_doubles(const struct numbered_walk *walk, unsigned input, uint64_t at, uint64_t count,
                           double *to)
{
    _Alignas(64) unsigned char element[NUMBERED_PIECE * sizeof(double)] __attribute__((uninitialized));
    bool is_double = walk->dtype[input] == ACL_DOUBLE;
    numbered_read(walk, input, at, count, is_double ? (void *)to : element);
    if (!is_double)
        walk->transfer->convert(element, walk->dtype[input], to, ACL_DOUBLE, (size_t)count);
}

struct numbered_work {
    struct numbered_walk walk;
    const struct numbered *numbered;
    unsigned char *first;
};

static void make_piece(void *context, uint64_t at, uint64_t count)
{
    const struct numbered_work *work = context;
    const struct numbered *numbered = work->numbered;
    _Alignas(64) unsigned char made[NUMBERED_PIECE * ELEMENT_BYTES_MAX] __attribute__((uninitialized));
    _Alignas(64) unsigned char converted[NUMBERED_PIECE * ELEMENT_BYTES_MAX] __attribute__((uninitialized));
    const bool is_contiguous = span_is_contiguous(&numbered->out);
    const bool converts = numbered->made != numbered->dtype;
    unsigned char *to = is_contiguous ? work->first + at * numbered->out.bytes : converted;
    if (!converts) {
        numbered->make(&work->walk, at, count, to);
    } else {
        numbered->make(&work->walk, at, count, made);
        work->walk.transfer->convert(made, numbered->made, to, numbered->dtype, (size_t)count);
    }
    if (!is_contiguous)
        span_write(&numbered->out, work->walk.transfer, work->first, at, converted, count);
}

int numbered_run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct numbered_plan *plan = (const struct numbered_plan *)plan_memory;
    (void)scratch;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct numbered *numbered = &plan->numbered[i];
        struct numbered_work work = {.walk = {.transfer = plan->transfer, .parameters = numbered->parameters},
                                     .numbered = numbered,
                                     .first = (unsigned char *)address[numbered->out_at]};
        for (uint32_t k = 0; k < numbered->input_count; k++) {
            work.walk.input[k] = address[numbered->input_at[k]];
            work.walk.span[k] = &numbered->input[k];
            work.walk.dtype[k] = numbered->input_dtype[k];
        }
        pieces_run(make_piece, &work, numbered->out.count, NUMBERED_PIECE, PIECES_AT_ONCE, numbered->cost_ns);
    }
    return 0;
}
