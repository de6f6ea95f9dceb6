/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of what is computed here, of the same kind as operators' calls: a plan, operands, and a function that
 * runs on their addresses.
 */
#ifndef BELAY_ATB_OWN_H
#define BELAY_ATB_OWN_H

#include "atb/operation.h"
#include "runtime/tasks/access.h"
#include "tensor/executor.h"

struct own_operand {
    const aclTensor *tensor; /* NULL: not there, and run gets NULL */
    const char *name;
    uint32_t mode; /* ACCESS_READ and its kin */
};

/* Phase 1 of a call, whose results lie in setup. */
aclnnStatus own_plan(struct setup *setup, const struct operation *operation,
                     const struct own_operand *operand, unsigned count, const void *plan, size_t plan_bytes,
                     uint64_t cost_ns);

/* The same, and a step of the operation; launch is own_launch of the operation. */
int32_t own_step(struct setup *setup, const struct operation *operation, launch_function *launch,
                 const struct own_operand *operand, unsigned count, const void *plan, size_t plan_bytes,
                 uint64_t cost_ns);

/* Phase 2 of an operation as a function of its own, as the steps have it. */
#define OWN_LAUNCH(function, operation)                                                             \
    static aclnnStatus function(void *workspace, uint64_t workspace_bytes, aclOpExecutor *executor, \
                                aclrtStream stream)                                                 \
    {                                                                                               \
        return executor_launch(&(operation), workspace, workspace_bytes, executor, stream);         \
    }

#endif
