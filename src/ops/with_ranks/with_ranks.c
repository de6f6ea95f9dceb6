/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Groups of calls, and plans of work with other ranks.
 */
#include "ops/with_ranks/with_ranks.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "ops/check.h"
#include "runtime/devices/context.h"
#include "runtime/tasks/task.h"

static const char *text_of(const struct call *call, unsigned number)
{
    return call->argument[number_at(call, number)].string;
}

aclnnStatus find_group(const struct call *call, unsigned number, struct met *met)
{
    const char *api = call->function->operation.name, *name = text_of(call, number),
               *parameter = call_name(call, number_at(call, number));
    int32_t device;
    memset(met, 0, sizeof *met);
    if (groups == NULL)
        return fail(ACLNN_ERR_RUNTIME_ERROR,
                    "%s: libhccl.so is not loaded, which has the communicators that %s names; a program that "
                    "is linked with it, or opens it, is expected",
                    api, parameter);
    if (context_device(api, &device) != 0)
        return ACLNN_ERR_RUNTIME_ERROR;
    if (strnlen(name, GROUP_NAME_BYTES) == GROUP_NAME_BYTES || !groups->find(name, device, &met->place))
        return refuse(call,
                      "%s is \"%.*s\"; the name of a communicator of device %d, as HcclGetCommName tells, is "
                      "expected",
                      parameter, (int)GROUP_NAME_BYTES, name, (int)device);
    memcpy(met->name, name, strlen(name) + 1);
    return ACLNN_SUCCESS;
}

aclnnStatus check_tensors(const struct call *call)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        const struct parameter *parameter = &call->function->parameter[i];
        const bool is_there = parameter->kind == PARAMETER_TENSOR && call_has(call, i) &&
                              (call->has_outputs || !parameter_is_output(parameter));
        if (!is_there)
            continue;
        TRY(check_dtype(call, i));
        if (!parameter_is_output(parameter) && parameter->sample != NULL && parameter->sample[0] == '\0')
            return refuse(call, "%s is given; NULL is expected, as what it is for is not there",
                          parameter->name);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus check_reduction(const struct call *call, unsigned number)
{
    const char *name = text_of(call, number);
    if (strcmp(name, "sum") == 0)
        return ACLNN_SUCCESS;
    return refuse(call, "%s is \"%.40s\"; \"sum\" is expected", call_name(call, number_at(call, number)),
                  name);
}

aclnnStatus check_ranks(const struct call *call, unsigned number, const struct met *met)
{
    if (form_of(call)->number[number] == 0 || form_number(call, number, 0) == (int64_t)met->place.rank_count)
        return ACLNN_SUCCESS;
    return refuse(call, "%s is %" PRId64 "; the ranks of %s, %u, are expected",
                  call_name(call, number_at(call, number)), form_number(call, number, 0), met->name,
                  (unsigned)met->place.rank_count);
}

aclnnStatus finish_with_ranks(const struct call *call, const void *plan, size_t bytes, uint32_t exchanges)
{
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, bytes, &content, &made));
    memcpy(made, plan, bytes);
    content->group = ((const struct met *)made)->name;
    content->exchanges = exchanges;
    content->cost_ns = TASK_NEVER_INLINE;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

void line_up(struct group_part *part, uint32_t ranks, uint64_t bytes)
{
    for (uint32_t rank = 0; rank < ranks; rank++)
        part[rank] = (struct group_part){rank * bytes, bytes};
}
