/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * An operator that copies floats, for tests of executors: what an executor does must not depend on what its
 * operator computes.
 */
#ifndef BELAY_TESTS_SUPPORT_COPY_OPERATION_H
#define BELAY_TESTS_SUPPORT_COPY_OPERATION_H

#include <stdatomic.h>
#include <string.h>

#include "support/executor_request.h"

struct copy_plan {
    int64_t count;
    size_t scratch_bytes;
    int status; /* what run returns */
};

static _Atomic unsigned copy_runs;
static void *copy_scratch;    /* what the last run was given */
static void *copy_address[2]; /* likewise */

static inline int copy_run(const void *plan, void *const *address, void *scratch)
{
    const struct copy_plan *copy = (const struct copy_plan *)plan;
    if (copy->count > 0 && address[0] != NULL)
        memmove(address[1], address[0], (size_t)copy->count * sizeof(float));
    if (copy->scratch_bytes > 0) {
        copy_scratch = scratch;
        memset(scratch, 1, copy->scratch_bytes);
    }
    if (copy->status != 0) {
        copy_address[0] = address[0];
        copy_address[1] = address[1];
    }
    atomic_fetch_add(&copy_runs, 1);
    return copy->status;
}

static inline size_t copy_work_bytes(const void *plan)
{
    return ((const struct copy_plan *)plan)->scratch_bytes;
}

static const struct operation copy_operation = {
    .name = "aclnnCopy", .work_bytes = copy_work_bytes, .run = copy_run};

static inline struct executor_operand copy_operand(const aclTensor *tensor, const char *name, bool is_output)
{
    struct tensor_view view;
    memset(&view, 0, sizeof view);
    (void)tensor_read(tensor, &view);
    struct executor_operand operand = {.tensor = tensor,
                                       .data = view.data,
                                       .offset = view.offset,
                                       .reach = view.reach,
                                       .version = view.version,
                                       .element_bytes = sizeof(float),
                                       .parameter = is_output,
                                       .input = is_output ? OPERAND_IN_NO_PLACE : 0,
                                       .output = is_output ? 0 : OPERAND_IN_NO_PLACE,
                                       .is_empty = view.count == 0,
                                       .name = name};
    return operand;
}

/* A request for a copy from one tensor to the other; the plan must outlive the call of executor_create. */
static inline struct executor_request copy_request(const aclTensor *from, const aclTensor *to,
                                                   const struct copy_plan *plan)
{
    struct executor_request request = {
        .operation = &copy_operation,
        .operand_count = 2,
        .operand = {copy_operand(from, "from", false), copy_operand(to, "to", true)},
        .cost_ns = 100,
        .plan = plan,
        .plan_bytes = sizeof *plan};
    return request;
}

/* A tensor of count floats. */
static inline aclTensor *create_floats(int64_t count, void *data)
{
    return aclCreateTensor(&count, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &count, 1, data);
}

#endif
