/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a launched executor leaves in its task, and what the stream asks of it there.
 */
#ifndef BELAY_TENSOR_EXECUTOR_WORK_H
#define BELAY_TENSOR_EXECUTOR_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/tasks/task.h"
#include "tensor/executor_claim.h"

/* How many operands have room in a task; the addresses of more are in a block. */
enum { WORK_OPERANDS = 11 };

/* What a queued task carries; the plan stays in the executor, which the task holds a reference to. */
struct work {
    struct executor *executor;
    void *scratch;   /* owned unless borrowed; NULL when none is needed */
    void *workspace; /* that the program has given */
    uint64_t workspace_bytes;
    struct group_call *call; /* owned; NULL: it meets no other ranks */
    void **more; /* owned; NULL or, instead of own_address, the addresses and behind them is_in_block */
    int32_t device;
    bool borrows_scratch, has_copies;
    bool takes_scratch; /* only while it runs, and meets no other ranks */
    void *own_address[WORK_OPERANDS];
    bool own_is_in_block[WORK_OPERANDS];
};

_Static_assert(sizeof(struct work) <= TASK_PAYLOAD_BYTES, "the work must fit into a task");

static inline struct work *work_of(struct task *task)
{
    return (struct work *)(void *)task->payload;
}

/* The first element of each operand, where it is read and written. */
static inline void **work_address(struct work *work)
{
    return work->more != NULL ? work->more : work->own_address;
}

/* Whether each operand lies in a block, or in registered memory. */
static inline bool *work_is_in_block(struct work *work)
{
    return work->more != NULL ? (bool *)(work->more + work->executor->content.operand_count)
                              : work->own_is_in_block;
}

/* Bytes of temporary memory: of copies, whose presence it notes, and behind them what run works in. */
size_t work_scratch_bytes(struct work *work);

/* The members of struct task. work_describe is for executors whose views were kept, because somebody watched in
 * phase 1, or that meet other ranks. */
int work_run(struct task *task);
void work_release(struct task *task);
bool work_is_current(const struct task *task);
size_t work_use_scratch(struct task *task, void *scratch);
void work_describe(const struct task *task, struct access_visitor *visitor);
bool work_repeats(const struct task *task, const struct task *before);

#endif
