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
 *                   claimed --consume, or hand over to the queued task--> gone; the last reference frees the
 * slot
 */
#ifndef BELAY_TENSOR_EXECUTOR_CLAIM_H
#define BELAY_TENSOR_EXECUTOR_CLAIM_H

#include "runtime/handle.h"
#include "tensor/executor.h"

struct executor {
    struct handle_slot slot;
    _Atomic uint32_t references; /* one for the handle or the claim, one per queued task */
    bool is_repeatable;
    struct executor_content content;
};

/* The executor, now this thread's own; NULL when the handle is not live or another thread has it. */
struct executor *executor_claim(const aclOpExecutor *executor);

/* Ends a claim: the handle is live again. */
void executor_restore(struct executor *executor, const aclOpExecutor *handle);

/* Drops a reference; the last one frees the slot. With the claim it ends the executor's life. */
void executor_drop(struct executor *executor);

/* What is wrong with a handle that could not be claimed. */
const char *executor_fault(const aclOpExecutor *executor);

#endif
