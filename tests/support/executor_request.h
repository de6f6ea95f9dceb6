/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Executors made from a description that a test can change and use again.
 */
#ifndef BELAY_TESTS_SUPPORT_EXECUTOR_REQUEST_H
#define BELAY_TESTS_SUPPORT_EXECUTOR_REQUEST_H

#include <stdbool.h>
#include <string.h>

#include "tensor/executor.h"

struct executor_request {
    const struct operation *operation;
    uint32_t operand_count;
    struct executor_operand operand[EXECUTOR_OPERANDS];
    const struct executor_operand *operands; /* instead of operand, where there are more */
    uint64_t workspace_bytes;
    uint64_t cost_ns;
    bool is_idle;
    const void *plan; /* copied */
    size_t plan_bytes;
};

static inline aclnnStatus executor_create(const struct executor_request *request, uint64_t *workspaceSize,
                                          aclOpExecutor **executor)
{
    struct executor_content *content;
    size_t bytes = request->plan_bytes > 0 ? request->plan_bytes : 1;
    aclnnStatus status = executor_begin(request->operation, request->operand_count, 0, bytes, &content);
    if (status != 0)
        return status;
    if (request->workspace_bytes > content->workspace_bytes)
        content->workspace_bytes = request->workspace_bytes;
    content->cost_ns = request->cost_ns;
    content->is_idle = request->is_idle;
    const struct executor_operand *operands =
        request->operands != NULL ? request->operands : request->operand;
    if (request->operand_count > 0)
        memcpy(content->operand, operands, request->operand_count * sizeof *operands);
    if (request->plan_bytes > 0)
        memcpy(content->plan, request->plan, request->plan_bytes);
    executor_finish(content, workspaceSize, executor);
    return 0;
}

#endif
