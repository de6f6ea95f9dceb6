/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1 of a refused call on a thread whose calls fail in their streams (runtime/streams/refusal.h): an
 * executor whose work fails with the sentence.
 */
#include <stdio.h>
#include <string.h>

#include "ops/call.h"
#include "base/error.h"
#include "runtime/streams/fault.h"
#include "runtime/streams/refusal.h"
#include "runtime/streams/stream.h"

static int run_refused(const void *plan, void *const *address, void *scratch)
{
    (void)address, (void)scratch;
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "%s", (const char *)plan);
}

static const struct operation refused_operation = {.name = "refused", .run = run_refused};

aclnnStatus function_refuse_later(const struct function *function, aclnnStatus status,
                                  uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const char *api = function->operation.name, *sentence = error_last_sentence();
    const size_t length = strlen(api);
    struct executor_content *content;
    char kept[FAULT_SENTENCE_BYTES];
    if (workspaceSize == NULL || executor == NULL || !refusal_is_for_stream())
        return status;
    if (strncmp(sentence, api, length) == 0 && strncmp(sentence + length, ": ", 2) == 0)
        sentence += length + 2;
    snprintf(kept, sizeof kept, "%.*s", (int)sizeof kept - 1, sentence);
    if (executor_begin(&function->operation, 0, 0, sizeof kept, &content) != 0)
        return status;
    memcpy(content->plan, kept, sizeof kept);
    content->runs = &refused_operation;
    content->cost_ns = TASK_NEVER_INLINE;
    executor_finish(content, workspaceSize, executor);
    return ACLNN_SUCCESS;
}
