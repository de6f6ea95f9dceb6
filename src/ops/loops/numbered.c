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

/* A request with a copy of its parameters. */
struct numbered {
    struct numbered_request request;
    uint64_t cost_ns;
    _Alignas(16) unsigned char parameters[NUMBERED_ROOM];
};

struct numbered_plan {
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
    return (struct numbered_request){
        .make = make, .out = out, .port = port_of(call, out, made), .element_ps = 1000};
}

void numbered_add_input(struct numbered_request *request, const struct call *call, unsigned parameter,
                        bool is_by_number)
{
    const struct tensor_view *view = &call->tensor[parameter];
    struct numbered_input *input = &request->input[request->input_count++];
    input->port = port_of(call, parameter, view->dtype);
    input->is_by_number = is_by_number;
    if (is_by_number)
        input->port.span = numbered_broadcast(view, &call->tensor[request->out]);
}

static void fill_in(const struct numbered_request *request, struct numbered *numbered)
{
    numbered->request = *request;
    numbered->cost_ns = (uint64_t)((double)request->port.span.count * request->element_ps / 1000);
    if (request->parameter_bytes > 0)
        memcpy(numbered->parameters, request->parameters, request->parameter_bytes);
}

/* Whether nothing but this input of this walk reads an operand, and this walk alone writes to its own. */
static bool is_alone(const struct numbered_plan *plan, uint32_t walk, uint32_t input)
{
    const struct numbered_request *reader = &plan->numbered[walk].request;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct numbered_request *other = &plan->numbered[i].request;
        if (i != walk && other->port.address == reader->port.address)
            return false;
        for (uint32_t k = 0; k < other->input_count; k++)
            if ((i != walk || k != input) &&
                other->input[k].port.address == reader->input[input].port.address)
                return false;
    }
    return true;
}

/* Elements are read and made by the same numbers: an input that lies as the output does may be it. */
static void let_be_in_place(const struct numbered_plan *plan, uint32_t walk, struct executor_content *content)
{
    const struct numbered_request *request = &plan->numbered[walk].request;
    for (uint32_t k = 0; k < request->input_count; k++) {
        const struct port *port = &request->input[k].port;
        if (request->input[k].is_by_number && spans_agree(&port->span, &request->port.span) &&
            is_alone(plan, walk, k))
            operands_may_be(content, port->address, request->port.address);
    }
}

aclnnStatus numbered_plan(const struct call *call, const struct numbered_request *request, unsigned count)
{
    struct executor_content *content;
    void *made;
    uint64_t elements = 0;
    for (unsigned i = 0; i < count; i++)
        elements |= request[i].port.span.count;
    if (elements == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct numbered_plan) + count * sizeof(struct numbered), &content, &made));
    struct numbered_plan *plan = (struct numbered_plan *)made;
    plan->count = count;
    for (unsigned i = 0; i < count; i++) {
        fill_in(&request[i], &plan->numbered[i]);
        content->cost_ns += plan->numbered[i].cost_ns;
    }
    for (unsigned i = 0; i < count; i++)
        let_be_in_place(plan, i, content);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

void numbered_read(const struct numbered_walk *walk, unsigned input, uint64_t at, uint64_t count, void *to)
{
    port_bring(&walk->input[input].port, walk->address, at, count, to);
}

void numbered_read_as(const struct numbered_walk *walk, unsigned input, uint64_t at, uint64_t count,
                      aclDataType dtype, void *to)
{
    port_bring_as(&walk->input[input].port, walk->address, at, count, dtype, to);
}

struct numbered_work {
    struct numbered_walk walk;
    const struct numbered_request *request;
    unsigned char *direct; /* the output's first element, where elements are made there */
};

static void make_in_place(void *context, uint64_t at, uint64_t count)
{
    const struct numbered_work *work = context;
    work->request->make(&work->walk, at, count, work->direct + at * work->request->port.span.bytes);
}

static void make_apart(void *context, uint64_t at, uint64_t count)
{
    const struct numbered_work *work = context;
    _Alignas(64) unsigned char made[NUMBERED_PIECE * ELEMENT_BYTES_MAX] __attribute__((uninitialized));
    work->request->make(&work->walk, at, count, made);
    port_deliver(&work->request->port, work->walk.address, at, count, made);
}

int numbered_run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct numbered_plan *plan = (const struct numbered_plan *)plan_memory;
    (void)scratch;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct numbered *numbered = &plan->numbered[i];
        const struct numbered_request *request = &numbered->request;
        struct numbered_work work = {.walk = {.transfer = request->port.transfer,
                                              .parameters = numbered->parameters,
                                              .input = request->input,
                                              .address = address},
                                     .request = request,
                                     .direct = port_direct(&request->port, address)};
        pieces_run(work.direct != NULL ? make_in_place : make_apart, &work, request->port.span.count,
                   NUMBERED_PIECE, PIECES_AT_ONCE, numbered->cost_ns);
    }
    return 0;
}
