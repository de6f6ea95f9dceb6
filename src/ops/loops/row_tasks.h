/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of functions that compute rows: work is cut into tasks by their numbers, and a task reads and
 * writes pieces of the call's tensors by the row-major numbers of their elements, as doubles, whole numbers or
 * bits. Layouts, dtypes and threads are the loop's.
 */
#ifndef BELAY_OPS_LOOPS_ROW_TASKS_H
#define BELAY_OPS_LOOPS_ROW_TASKS_H

#include "ops/call.h"
#include "ops/loops/row_maths.h"
#include "ops/port.h"

enum { ROW_TASKS_PARAMETERS = 512 };

struct row_tasks;

/* What a task, or the start of the work, has. */
struct task {
    const struct row_tasks *tasks;
    void *const *address;
    const void *parameters;
    const struct row_maths *maths;
    double *room;           /* of its thread, on a line of memory */
    void *shared;           /* of all: what start has left */
    const int64_t *numbers; /* the request's */
    bool in_order;          /* start says: one thread does all, in the order of their numbers */
};

struct row_tasks_request {
    void (*body)(const struct task *task, uint64_t number);
    int (*start)(struct task *task); /* 0, or what operation_fail says of data; or NULL */
    uint64_t count;                  /* of tasks */
    uint64_t task_ns;                /* roughly, of one */
    uint64_t room;                   /* doubles */
    uint64_t shared_bytes;
    const void *parameters; /* copied: ROW_TASKS_PARAMETERS at most */
    size_t parameter_bytes;
    const int64_t *numbers; /* copied, too: as many as one likes, or none */
    uint64_t number_count;
};

/* The end of phase 1. No tasks: nothing to do. */
aclnnStatus row_tasks_plan(const struct call *call, const struct row_tasks_request *request);

int row_tasks_run(const void *plan, void *const *address, void *scratch);
size_t row_tasks_work_bytes(const void *plan);
#define ROW_TASKS .operation.run = row_tasks_run, .operation.work_bytes = row_tasks_work_bytes

/* Whether the parameter was given, has elements, and is wanted if it is an output. */
bool task_has(const struct task *task, unsigned parameter);
aclDataType task_dtype(const struct task *task, unsigned parameter); /* of one that the task has */

/* Elements from a number on as doubles, rounded once on their way back. */
void task_read(const struct task *task, unsigned parameter, uint64_t at, uint64_t count, double *to);
void task_write(const struct task *task, unsigned parameter, uint64_t at, uint64_t count, const double *from);
void task_read_member(const struct task *task, unsigned parameter, uint64_t member, uint64_t at,
                      uint64_t count, double *to);
double task_number(const struct task *task, unsigned parameter, uint64_t at);
void task_set(const struct task *task, unsigned parameter, uint64_t at, double number);

/* Elements as they lie in memory, and bits of a dtype in doubles; up to PORT_PIECE of them. */
void task_bits(const struct task *task, unsigned parameter, uint64_t at, uint64_t count, void *to);
void task_widen(const struct task *task, const void *from, aclDataType dtype, uint64_t count, double *to);

/* Numbers as a dtype has them, still in doubles. */
void task_round(const struct task *task, aclDataType dtype, uint64_t count, double *number);

/* Elements as they lie in memory, of INT4 the bytes that have two each. */
void task_get(const struct task *task, unsigned parameter, uint64_t at, uint64_t count, void *to);
void task_put(const struct task *task, unsigned parameter, uint64_t at, uint64_t count, const void *from);

/* Whole numbers, which doubles may not hold. */
int64_t task_integer(const struct task *task, unsigned parameter, uint64_t at);
void task_set_integer(const struct task *task, unsigned parameter, uint64_t at, int64_t number);

/* Elements as bits, of one size, maybe of members of lists; or zeros. */
void task_copy_member(const struct task *task, unsigned to, uint64_t member, uint64_t to_at, unsigned from,
                      uint64_t from_at, uint64_t count);
void task_copy(const struct task *task, unsigned to, uint64_t to_at, unsigned from, uint64_t from_at,
               uint64_t count);
void task_clear(const struct task *task, unsigned to, uint64_t at, uint64_t count);

/* The nearest whole number, ties to even, of INT8; NaN gives 0. */
static inline double task_int8(double value)
{
    const double whole = __builtin_nearbyint(value);
    return whole != whole ? 0 : whole < -128 ? -128 : whole > 127 ? 127 : whole;
}

#endif
