/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Work in tasks: its plan, its run, and the tensors of a task.
 */
#include "ops/loops/row_tasks.h"

#include <math.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/cost_of_thread.h"
#include "ops/loops/tasks.h"
#include "tensor/scratch.h"

LEVEL_TABLE(const struct row_maths, maths_of, row_maths);

struct row_tasks {
    struct row_tasks_request request; /* whose parameters are in this plan */
    const struct row_maths *maths;
    const struct transfer *transfer;
    uint32_t threads;
    uint64_t cost_ns;
    _Alignas(16) unsigned char parameters[ROW_TASKS_PARAMETERS];
    uint8_t first[PARAMETERS_MAX]; /* its port, and how many it has: members of a list */
    uint8_t members[PARAMETERS_MAX];
    uint32_t ports;
    struct port port[]; /* and the numbers behind them */
};

static bool is_unwanted(const struct call *call, unsigned parameter)
{
    unsigned written = 0;
    for (unsigned i = 0; i < parameter; i++)
        written += parameter_is_written(&call->function->parameter[i]);
    return parameter_is_written(&call->function->parameter[parameter]) &&
           call->result->output[written].is_unwanted;
}

/* The tensors of a parameter; 0 where there is nothing to read or write. */
static uint32_t members_of(const struct call *call, unsigned parameter)
{
    const struct parameter *of = &call->function->parameter[parameter];
    if (!parameter_is_tensor(of) || !call_has(call, parameter) || is_unwanted(call, parameter))
        return 0;
    if (of->kind == PARAMETER_TENSOR_LIST)
        return (uint32_t)call->values[parameter].count;
    return call->tensor[parameter].count > 0 ? 1 : 0;
}

static void set_ports(const struct call *call, struct row_tasks *tasks)
{
    uint8_t count = 0;
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        const bool is_list = call->function->parameter[i].kind == PARAMETER_TENSOR_LIST;
        tasks->first[i] = count;
        tasks->members[i] = (uint8_t)members_of(call, i);
        for (uint32_t k = 0; k < tasks->members[i]; k++) {
            const struct tensor_view *view = is_list ? &call->values[i].value.tensor[k] : &call->tensor[i];
            tasks->port[count] = port_of_view(tasks->transfer, view, call->first_operand[i] + k, view->dtype);
            if (dtype_is_packed(view->dtype) && !parameter_unpacks(&call->function->parameter[i]))
                /* Bytes of two each, side by side. */
                tasks->port[count].span = span_contiguous(((uint64_t)view->count + 1) / 2, 1);
            count++;
        }
    }
}

aclnnStatus row_tasks_plan(const struct call *call, const struct row_tasks_request *request)
{
    struct executor_content *content;
    uint32_t ports = 0;
    void *place;
    if (request->count == 0)
        return call_idle(call);
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        ports += members_of(call, i);
    if (ports > UINT8_MAX)
        return refuse(call, "lists have %u tensors in all; up to %d are expected", ports, UINT8_MAX);
    TRY(call_begin(call,
                   sizeof(struct row_tasks) + ports * sizeof(struct port) +
                       request->number_count * sizeof *request->numbers,
                   &content, &place));
    struct row_tasks *tasks = place;
    memset(tasks, 0, sizeof *tasks);
    tasks->request = *request;
    tasks->maths = maths_of[call->settings->isa];
    tasks->transfer = transfer_of(call->settings->isa);
    if (request->parameter_bytes > 0)
        memcpy(tasks->parameters, request->parameters, request->parameter_bytes);
    set_ports(call, tasks);
    tasks->ports = ports;
    if (request->number_count > 0)
        memcpy(tasks->port + ports, request->numbers, request->number_count * sizeof *request->numbers);
    const double cost = (double)request->count * (double)request->task_ns + 100;
    tasks->cost_ns = cost < 1e18 ? (uint64_t)cost : UINT64_C(1000000000000000000);
    uint64_t threads = 1 + tasks->cost_ns / COST_OF_THREAD_NS;
    threads = threads < call->settings->thread_count ? threads : call->settings->thread_count;
    tasks->threads = (uint32_t)(threads < request->count ? threads : request->count);
    content->cost_ns = tasks->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t room_bytes(const struct row_tasks *tasks)
{
    return lines_of(tasks->request.room, sizeof(double));
}

size_t row_tasks_work_bytes(const void *plan)
{
    const struct row_tasks *tasks = plan;
    return tasks->threads * room_bytes(tasks) + lines_of(tasks->request.shared_bytes, 1);
}

static void do_task(void *context, uint64_t number, unsigned char *memory)
{
    struct task task = *(const struct task *)context;
    task.room = (double *)(void *)memory;
    task.tasks->request.body(&task, number);
}

int row_tasks_run(const void *plan, void *const *address, void *scratch)
{
    const struct row_tasks *tasks = plan;
    const struct task_memory memory = {.first = scratch, .bytes = room_bytes(tasks), .slots = tasks->threads};
    struct task task = {.tasks = tasks,
                        .address = address,
                        .parameters = tasks->parameters,
                        .maths = tasks->maths,
                        .room = scratch,
                        .numbers = (const int64_t *)(const void *)(tasks->port + tasks->ports),
                        .shared = memory.first + memory.slots * memory.bytes};
    const int status = tasks->request.start == NULL ? 0 : tasks->request.start(&task);
    for (uint64_t i = 0; status == 0 && task.in_order && i < tasks->request.count; i++)
        do_task(&task, i, memory.first);
    if (status == 0 && !task.in_order)
        tasks_run_in_memory(do_task, &task, tasks->request.count, &memory, tasks->cost_ns);
    return status;
}

bool task_has(const struct task *task, unsigned parameter)
{
    return task->tasks->members[parameter] > 0;
}

aclDataType task_dtype(const struct task *task, unsigned parameter)
{
    return task->tasks->port[task->tasks->first[parameter]].dtype;
}

static struct port port_as(const struct task *task, unsigned parameter, uint64_t member, aclDataType carried)
{
    struct port port = task->tasks->port[task->tasks->first[parameter] + member];
    port.carried = carried == ACL_DT_UNDEFINED ? port.dtype : carried;
    return port;
}

void task_read_member(const struct task *task, unsigned parameter, uint64_t member, uint64_t at,
                      uint64_t count, double *to)
{
    const struct port port = port_as(task, parameter, member, ACL_DOUBLE);
    for (uint64_t done = 0; done < count; done += PORT_PIECE)
        port_bring(&port, task->address, at + done, count - done < PORT_PIECE ? count - done : PORT_PIECE,
                   to + done);
}

void task_read(const struct task *task, unsigned parameter, uint64_t at, uint64_t count, double *to)
{
    task_read_member(task, parameter, 0, at, count, to);
}

void task_write(const struct task *task, unsigned parameter, uint64_t at, uint64_t count, const double *from)
{
    const struct port port = port_as(task, parameter, 0, ACL_DOUBLE);
    for (uint64_t done = 0; done < count; done += PORT_PIECE)
        port_deliver(&port, task->address, at + done, count - done < PORT_PIECE ? count - done : PORT_PIECE,
                     from + done);
}

void task_bits(const struct task *task, unsigned parameter, uint64_t at, uint64_t count, void *to)
{
    const struct port port = port_as(task, parameter, 0, ACL_DT_UNDEFINED);
    port_bring(&port, task->address, at, count, to);
}

void task_widen(const struct task *task, const void *from, aclDataType dtype, uint64_t count, double *to)
{
    transfer_convert(task->tasks->transfer, from, dtype, to, ACL_DOUBLE, count);
}

void task_round(const struct task *task, aclDataType dtype, uint64_t count, double *number)
{
    _Alignas(64) unsigned char piece[PORT_PIECE * 8] __attribute__((uninitialized));
    for (uint64_t done = 0; done < count; done += PORT_PIECE) {
        const uint64_t length = count - done < PORT_PIECE ? count - done : PORT_PIECE;
        transfer_convert(task->tasks->transfer, number + done, ACL_DOUBLE, piece, dtype, length);
        transfer_convert(task->tasks->transfer, piece, dtype, number + done, ACL_DOUBLE, length);
    }
}

double task_number(const struct task *task, unsigned parameter, uint64_t at)
{
    double number;
    task_read(task, parameter, at, 1, &number);
    return number;
}

void task_set(const struct task *task, unsigned parameter, uint64_t at, double number)
{
    task_write(task, parameter, at, 1, &number);
}

void task_get(const struct task *task, unsigned parameter, uint64_t at, uint64_t count, void *to)
{
    const struct port port = port_as(task, parameter, 0, ACL_DT_UNDEFINED);
    port_bring(&port, task->address, at, count, to);
}

void task_put(const struct task *task, unsigned parameter, uint64_t at, uint64_t count, const void *from)
{
    const struct port port = port_as(task, parameter, 0, ACL_DT_UNDEFINED);
    port_deliver(&port, task->address, at, count, from);
}

int64_t task_integer(const struct task *task, unsigned parameter, uint64_t at)
{
    const struct port port = port_as(task, parameter, 0, ACL_INT64);
    int64_t number;
    port_bring(&port, task->address, at, 1, &number);
    return number;
}

void task_set_integer(const struct task *task, unsigned parameter, uint64_t at, int64_t number)
{
    const struct port port = port_as(task, parameter, 0, ACL_INT64);
    port_deliver(&port, task->address, at, 1, &number);
}

void task_copy(const struct task *task, unsigned to, uint64_t to_at, unsigned from, uint64_t from_at,
               uint64_t count)
{
    task_copy_member(task, to, 0, to_at, from, from_at, count);
}

void task_copy_member(const struct task *task, unsigned to, uint64_t member, uint64_t to_at, unsigned from,
                      uint64_t from_at, uint64_t count)
{
    _Alignas(64) unsigned char piece[PORT_PIECE * 16] __attribute__((uninitialized));
    const struct port source = port_as(task, from, 0, ACL_DT_UNDEFINED),
                      target = port_as(task, to, member, ACL_DT_UNDEFINED);
    for (uint64_t done = 0; done < count; done += PORT_PIECE) {
        const uint64_t length = count - done < PORT_PIECE ? count - done : PORT_PIECE;
        port_bring(&source, task->address, from_at + done, length, piece);
        port_deliver(&target, task->address, to_at + done, length, piece);
    }
}

void task_clear(const struct task *task, unsigned to, uint64_t at, uint64_t count)
{
    _Alignas(64) static const unsigned char zeros[PORT_PIECE * 16];
    const struct port target = port_as(task, to, 0, ACL_DT_UNDEFINED);
    for (uint64_t done = 0; done < count; done += PORT_PIECE)
        port_deliver(&target, task->address, at + done, count - done < PORT_PIECE ? count - done : PORT_PIECE,
                     zeros);
}
