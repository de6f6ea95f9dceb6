/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The executor object, and how a thread makes it its own.
 *
 * An executor serves one call at a time. Whoever wants it takes the handle off it: of several threads that
 * try, one gets it, and for the others the handle names nothing meanwhile. A call that leaves the executor
 * alive puts the handle back; one that consumes it does not. So one exchange is claim, check of the handle
 * and end of life, and everything but references is plain data of the thread that has the claim.
 *
 *   live --claim--> claimed --restore--> live
 *           claimed --consume, or hand over to the queued task--> gone
 *
 * The last reference frees the slot.
 */
#ifndef BELAY_TENSOR_EXECUTOR_CLAIM_H
#define BELAY_TENSOR_EXECUTOR_CLAIM_H

#include "runtime/streams/fault.h"
#include "base/handle.h"
#include "tensor/executor.h"

struct stream;

/*
 * Where an operand lay when its address was last looked up: nothing has changed as long as the tensor has the
 * version that phase 1 read and the record of its block still is what was found.
 */
struct operand_place {
    const _Atomic uint32_t *version;
    const _Atomic uint64_t *record; /* a constant where the operand has no elements */
    uint64_t found;
    uint32_t expected; /* the version */
};

struct executor {
    _Alignas(HANDLE_ALIGNMENT) struct handle_slot slot;
    _Atomic uint32_t references; /* one for the handle or the claim, one per queued task */
    int32_t device;              /* whose memory what follows tells of; NO_PLACES where it does not */
    bool is_repeatable;
    struct shortcut shortcut;    /* without a function where there is none */
    struct operand_place *place; /* of each operand */
    void **address; /* first elements, as memory_reach finds them; no scratch is needed for these */
    struct executor_content content;

    /* What the pointers above and those of the content lead to: the members below, or block where they are
     * too small. */
    struct operand_place own_place[EXECUTOR_OPERANDS];
    void *own_address[EXECUTOR_OPERANDS];
    struct executor_operand own_operand[EXECUTOR_OPERANDS];
    uint64_t own_argument[EXECUTOR_ARGUMENTS];
    uint8_t own_argument_kind[EXECUTOR_ARGUMENTS];
    _Alignas(EXECUTOR_PLAN_ALIGNMENT) unsigned char own_plan[EXECUTOR_PLAN_BYTES];

    /* Owned; kept for later calls while the slot is a thread's, NULL afterwards. */
    void *block;
    size_t block_bytes;
    struct executor_view *views; /* the same, where somebody watches accesses */
    size_t views_bytes;
};

enum { NO_PLACES = -1 };

extern struct handle_table executor_table;

/*
 * The last executors that this thread finished are kept for the next calls: that saves the two exchanges on
 * the list of free slots, which all threads share, and a call that repeats one of them has nothing to make.
 * As many as a program may alternate between with little cost to look through.
 */
enum { EXECUTORS_KEPT = 4 };

struct executor_spare {
    struct executor *executor[EXECUTORS_KEPT]; /* or NULL */
    uint32_t vacant;                           /* the place that was emptied last, where the next one goes */
    uint32_t next; /* the place whose executor a new call takes: one that is of no use, or they take turns */
    bool is_registered; /* they will be given back when the thread ends */

    /* What this thread has finished and used last, to be found again without their tables: slots are never
     * given back, and the handle in them tells whose they are. NULL at first. */
    struct executor *finished;
    struct stream *stream;
};

extern _Thread_local struct executor_spare executor_spare_of_thread;

/* Frees the slot of an executor that has neither handle nor references, or keeps it for this thread. */
void executor_release(struct executor *executor);

/* The executor, now this thread's own; NULL when the handle is not live or another thread has it. */
static inline struct executor *executor_claim(const aclOpExecutor *executor)
{
    uint64_t handle = (uint64_t)(uintptr_t)executor;
    struct executor *object = executor_spare_of_thread.finished;
    if (__builtin_expect(!handle_names(handle, object), 0))
        object = (struct executor *)handle_find(&executor_table, handle);
    return object != NULL && handle_retire(object, handle) ? object : NULL;
}

/* Ends a claim: the handle is live again. */
static inline void executor_restore(struct executor *executor, const aclOpExecutor *handle)
{
    /* Releases the changes made under the claim to whoever claims it next. */
    atomic_store_explicit(&executor->slot.handle, (uint64_t)(uintptr_t)handle, memory_order_release);
}

/* Drops a reference; the last one frees the slot. With the claim it ends the executor's life. */
static inline void executor_drop(struct executor *executor)
{
    /* Only a repeatable executor can have several references, and only the thread with the claim adds one, so
     * a count of 1 that is read by its holder stays 1. */
    if (__builtin_expect(atomic_load_explicit(&executor->references, memory_order_acquire) != 1, 0) &&
        atomic_fetch_sub_explicit(&executor->references, 1, memory_order_acq_rel) != 1)
        return;
    struct executor_spare *spare = &executor_spare_of_thread;
    /* A slot whose generations are used up is handle_release's to judge. */
    if (__builtin_expect(spare->executor[spare->vacant] == NULL && spare->is_registered &&
                             executor->slot.generation != UINT32_MAX,
                         1))
        spare->executor[spare->vacant] = executor;
    else
        executor_release(executor);
}

/*
 * executor_launch for an executor that it could not run at once: claimed is NULL where the caller has no
 * claim, which is then tried for.
 */
aclnnStatus executor_launch_checked(const struct operation *operation, void *workspace,
                                    uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream,
                                    struct executor *claimed);

/* What has become of the work of an executor: a status that is not 0 is the stream's to tell. */
static inline int executor_tell(const struct executor *executor, int status)
{
    if (__builtin_expect(status != 0, 0))
        operation_failed(executor->content.operation->name, status);
    return status;
}

/* Runs the plan of an executor on resolved addresses, which need no copies. */
static inline int executor_run(const struct executor *executor, void *const *address, void *scratch)
{
    return executor_tell(executor, executor->content.runs->run(executor->content.plan, address, scratch));
}

/* What is wrong with a handle that could not be claimed. */
const char *executor_fault(const aclOpExecutor *executor);

#endif
