/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop over planes: phase 1 adds up what one plane needs in memory, and when the work runs threads take
 * planes in turn, each bringing its inputs side by side and delivering the outputs.
 */
#include "ops/loops/plane_walk.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "base/error.h"
#include "tensor/dtype.h"

struct run {
    const struct plane_walk *walk;
    void *const *address;
    _Atomic uint64_t first_fault; /* the lowest plane with one */
};

/* The most elements of one operand in one plane; more fits no memory, and its bytes may not fit 64 bits. */
static const uint64_t PLANE_ELEMENTS_MAX = UINT64_C(1) << 48;

static size_t packed_bytes(const struct plane_operand *operand)
{
    return span_is_contiguous(&operand->port.span) ? 0
                                                   : whole_lines(operand->count * operand->port.span.bytes);
}

static size_t slot_bytes(const struct plane_walk *walk)
{
    size_t bytes = walk->room_bytes;
    for (unsigned i = 0; i < walk->operands; i++)
        bytes += packed_bytes(&walk->operand[i]);
    return bytes;
}

static int64_t run_plane(const struct run *run, uint64_t plane, unsigned char *memory,
                         const void **last_input)
{
    const struct plane_walk *walk = run->walk;
    void *packed[PLANE_OPERANDS];
    unsigned char *room = memory;
    for (unsigned i = 0; i < walk->operands; i++) {
        const struct plane_operand *operand = &walk->operand[i];
        unsigned char *const direct = port_direct(&operand->port, run->address);
        packed[i] = direct != NULL ? direct + plane * operand->count * operand->port.span.bytes : room;
        room += packed_bytes(operand);
        if (i < walk->inputs && direct == NULL)
            port_bring(&operand->port, run->address, plane * operand->count, operand->count, packed[i]);
    }
    *last_input = packed[walk->inputs - 1];
    const void *input[PLANE_INPUTS];
    memcpy(input, packed, walk->inputs * sizeof input[0]);
    if (walk->room_bytes > 0)
        memcpy(room, &plane, sizeof plane);
    const int64_t fault = walk->function(walk, input, packed + walk->inputs, room);
    for (unsigned i = walk->inputs; i < walk->operands; i++)
        if (!span_is_contiguous(&walk->operand[i].port.span) && fault < 0)
            port_deliver(&walk->operand[i].port, run->address, plane * walk->operand[i].count,
                         walk->operand[i].count, packed[i]);
    return fault;
}

static void take_plane(void *context, uint64_t plane, unsigned char *memory)
{
    struct run *run = context;
    const void *last_input;
    if (run_plane(run, plane, memory, &last_input) >= 0)
        note_fault(&run->first_fault, plane);
}

size_t plane_walk_work_bytes(const void *plan)
{
    const struct plane_walk *walk = (const struct plane_walk *)plan;
    return walk->slots * slot_bytes(walk);
}

int plane_walk_run(const void *plan, void *const *address, void *scratch)
{
    const struct plane_walk *walk = (const struct plane_walk *)plan;
    struct run run = {.walk = walk, .address = address, .first_fault = UINT64_MAX};
    const struct task_memory memory = {scratch, slot_bytes(walk), walk->slots};
    tasks_run_in_memory(take_plane, &run, walk->planes, &memory, walk->cost_ns);
    const uint64_t fault = atomic_load(&run.first_fault);
    if (fault == UINT64_MAX)
        return 0;
    const void *last_input;
    const int64_t element = run_plane(&run, fault, scratch, &last_input);
    return walk->explain(walk, last_input, (int64_t)fault, element);
}

aclnnStatus plane_walk_plan(const struct call *call, const struct plane_request *request)
{
    struct executor_content *content;
    void *made;
    size_t bytes = sizeof(struct plane_walk);
    const size_t table_bytes = request->table[0] == NULL ? 0 : (size_t)request->planes * sizeof(int64_t);
    /* A view repeats elements as often as it likes. */
    for (unsigned i = 0; i < request->inputs + request->outputs; i++) {
        const struct tensor_view *view =
            request->view[i] != NULL ? request->view[i] : &call->tensor[request->parameter[i]];
        if ((uint64_t)view->count / request->planes > PLANE_ELEMENTS_MAX)
            return fail(ACLNN_ERR_RUNTIME_ERROR,
                        "%s: there is no memory for %" PRIu64 " elements of %s at a time",
                        call->function->operation.name, (uint64_t)view->count / request->planes,
                        call_name(call, request->parameter[i]));
    }
    TRY(call_begin(call, bytes + 2 * table_bytes, &content, &made));
    struct plane_walk *walk = made;
    *walk = (struct plane_walk){
        .transfer = transfer_of(call->settings->isa),
        .function = request->function,
        .explain = request->explain,
        .planes = request->planes,
        .room_bytes = whole_lines(request->room_bytes),
        .inputs = request->inputs,
        .operands = request->inputs + request->outputs,
        .cost_ns = request->plane_ns * request->planes,
    };
    walk->slots = walk->planes < call->settings->thread_count ? walk->planes : call->settings->thread_count;
    memcpy(walk->parameters, request->parameters, request->parameter_bytes);
    for (unsigned i = 0; i < walk->operands; i++) {
        const struct tensor_view *view =
            request->view[i] != NULL ? request->view[i] : &call->tensor[request->parameter[i]];
        walk->operand[i] = (struct plane_operand){
            .port =
                port_of_view(walk->transfer, view, call->first_operand[request->parameter[i]], view->dtype),
            .count = (uint64_t)view->count / request->planes,
        };
    }
    walk->table = bytes;
    for (unsigned i = 0; i < 2 && table_bytes > 0; i++)
        memcpy((unsigned char *)made + bytes + i * table_bytes, request->table[i], table_bytes);
    content->cost_ns = walk->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

void plane_convert(const struct plane_walk *walk, const void *from, aclDataType from_dtype, void *to,
                   aclDataType to_dtype, uint64_t count)
{
    transfer_convert(walk->transfer, from, from_dtype, to, to_dtype, count);
}

const float *plane_floats(const struct plane_walk *walk, const void *from, aclDataType dtype, float *to,
                          uint64_t count)
{
    if (dtype == ACL_FLOAT)
        return (const float *)from;
    plane_convert(walk, from, dtype, to, ACL_FLOAT, count);
    return to;
}
