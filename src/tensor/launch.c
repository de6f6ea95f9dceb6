/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 2: every check that is made when an executor meets a stream, a workspace and real addresses, before the task
 * that carries the work is queued.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/made.h"
#include "base/order.h"
#include "base/checks.h"
#include "base/error.h"
#include "runtime/addresses/memory.h"
#include "runtime/addresses/reach.h"
#include "runtime/groups/groups.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/streams/fault.h"
#include "runtime/streams/stream.h"
#include "runtime/timeline/trace.h"
#include "tensor/executor_claim.h"
#include "tensor/executor_work.h"
#include "tensor/operand_rules.h"
#include "tensor/scratch.h"
#include "tensor/tensor_slot.h"

#if defined(__has_attribute) && __has_attribute(uninitialized)
#define UNINITIALISED __attribute__((uninitialized))
#else
#define UNINITIALISED
#endif

/* Devices read and write in blocks of so many bytes. Operands, which have elements, need no more than those.
 */
enum { WORKSPACE_ALIGNMENT = 32 };

/* What messages call an operand. */
struct operand_label {
    char text[96];
};

static const char *label_operand(const struct executor *executor, uint32_t index, struct operand_label *label)
{
    const struct executor_operand *operand = &executor->content.operand[index];
    const char *name = operand->name != NULL ? operand->name : "tensor";
    if (operand->list_length > 0)
        snprintf(label->text, sizeof label->text, "element %u of %s", (unsigned)operand->element, name);
    else if (operand->name == NULL)
        snprintf(label->text, sizeof label->text, "%s %u", name, (unsigned)index);
    else
        snprintf(label->text, sizeof label->text, "%s", name);
    return label->text;
}

/* The address is no memory that will do here: what it is, and what is expected. */
static __attribute__((noinline, cold)) aclnnStatus refuse_place(enum rule rule, const char *api,
                                                                const char *parameter, const void *address,
                                                                const char *expected, int32_t device)
{
    char text[MEMORY_TEXT_BYTES];
    memory_describe(address, text, sizeof text);
    return report_misuse_of(address, rule, ACLNN_ERR_PARAM_INVALID,
                            "%s: %s %p %s; memory from aclrtMalloc on device %d%s is expected", api,
                            parameter, address, text, (int)device, expected);
}

/* The workspace must be live device memory as long as the program says it is. */
static aclnnStatus check_workspace(const char *api, const void *workspace, uint64_t bytes, int32_t device,
                                   const struct settings *settings)
{
    struct memory_block block;
    if (!memory_find(workspace, &block)) {
        if (settings->host_pointers_allowed && bytes <= UINTPTR_MAX - (uintptr_t)workspace)
            return ACLNN_SUCCESS;
        return refuse_place(RULE_WORKSPACE, api, "workspace", workspace, "", device);
    }
    if (block.place != MEMORY_DEVICE &&
        !(settings->host_pointers_allowed && block.place == MEMORY_PINNED_HOST))
        return refuse_place(RULE_WORKSPACE, api, "workspace", workspace, "", device);
    if (block.place == MEMORY_DEVICE && block.device != device)
        return report_misuse(
            RULE_WORKSPACE, ACLNN_ERR_PARAM_INVALID,
            "%s: workspace %p is memory of device %d; memory of the stream's device %d is expected", api,
            workspace, (int)block.device, (int)device);
    uint64_t left = block.bytes - ((uintptr_t)workspace - block.base);
    if (bytes > left)
        return report_misuse(
            RULE_WORKSPACE, ACLNN_ERR_PARAM_INVALID,
            "%s: workspaceSize is %llu, but workspace has %llu bytes up to the end of its block", api,
            (unsigned long long)bytes, (unsigned long long)left);
    if (block.place == MEMORY_DEVICE && (uintptr_t)workspace % WORKSPACE_ALIGNMENT != 0)
        return report_misuse(
            RULE_WORKSPACE, ACLNN_ERR_PARAM_INVALID,
            "%s: workspace %p is not aligned; a multiple of %d bytes, as aclrtMalloc returns, "
            "is expected",
            api, workspace, (int)WORKSPACE_ALIGNMENT);
    return ACLNN_SUCCESS;
}

/*
 * The rules for an operand at data, in their order: what resolve has not seen to be right is judged here.
 * *address is its first element, and *in_block tells whether memory is known there, where none is broken.
 */
static __attribute__((noinline, cold)) aclnnStatus judge_operand(const struct executor *executor,
                                                                 uint32_t index, void *data, int32_t device,
                                                                 const struct settings *settings,
                                                                 void **address, bool *in_block)
{
    const struct executor_operand *operand = &executor->content.operand[index];
    const char *api = executor->content.operation->name;
    struct operand_label room;
    const char *label = label_operand(executor, index, &room);
    uintptr_t start = (uintptr_t)data;
    if (data == NULL)
        return report_misuse(RULE_PLACE, ACLNN_ERR_PARAM_INVALID,
                             "%s: %s has no address: its data is NULL; device memory is expected", api,
                             label);
    if ((start & (operand->element_bytes - 1)) != 0)
        return report_misuse(RULE_ALIGNMENT, ACLNN_ERR_PARAM_INVALID,
                             "%s: the address %p of %s is not a multiple of its element size of %u bytes",
                             api, data, label, (unsigned)operand->element_bytes);
    /* Nothing is known of host memory; the end of the address space is the only bound. */
    uint64_t left = UINTPTR_MAX - start;
    struct memory_block block;
    *in_block = memory_find(data, &block);
    if (*in_block) {
        if (block.place == MEMORY_DEVICE && block.device != device)
            return report_misuse(
                RULE_PLACE, ACLNN_ERR_PARAM_INVALID,
                "%s: %s at %p is memory of device %d; memory of the stream's device %d is expected", api,
                label, data, (int)block.device, (int)device);
        left = block.bytes - (start - block.base);
    } else if (!settings->host_pointers_allowed) {
        return refuse_place(RULE_PLACE, api, label, data, ", or from aclrtMallocHost,", device);
    }
    if (!view_fits(operand->reach, operand->element_bytes, left))
        return report_misuse(
            RULE_VIEW, ACLNN_ERR_PARAM_INVALID,
            "%s: the view of %s reaches element %lld of %u bytes, but its block has %llu bytes from "
            "address %p on",
            api, label, (long long)operand->reach, (unsigned)operand->element_bytes, (unsigned long long)left,
            data);
    *address = operand_first(operand, data);
    return ACLNN_SUCCESS;
}

/*
 * Finds out where the operand lies now and proves that all of it lies in one live block. *address is its
 * first element.
 */
static inline aclnnStatus resolve(const struct executor *executor, uint32_t index, int32_t device,
                                  const struct settings *settings, void **address, bool *in_block)
{
    const struct executor_operand *operand = &executor->content.operand[index];
    void *data;
    *in_block = CHECKS_ARE_ON;
    if (!tensor_slot_address(operand->tensor, &data))
        data = operand->data;
    if (__builtin_expect(!operand_fits(operand, data, memory_usable_bytes(data, device)), 0))
        return judge_operand(executor, index, data, device, settings, address, in_block);
    *address = operand_first(operand, data);
    return ACLNN_SUCCESS;
}

/* Resolves all operands that have elements, to where they are read and written; the others get NULL. None may
 * share memory with the workspace. */
static aclnnStatus resolve_all(const struct executor *executor, const void *workspace,
                               uint64_t workspace_bytes, int32_t device, const struct settings *settings,
                               struct work *work)
{
    void **address = work_address(work);
    bool *is_in_block = work_is_in_block(work);
    work->device = device;
    uintptr_t workspace_start = (uintptr_t)workspace;
    for (uint32_t i = 0; i < executor->content.operand_count; i++) {
        const struct executor_operand *operand = &executor->content.operand[i];
        address[i] = NULL;
        is_in_block[i] = false;
        if (!operand_has_elements(operand))
            continue;
        TRY(resolve(executor, i, device, settings, &address[i], &is_in_block[i]));
        /* Neither sum overflows: both ranges lie in blocks, or were held against the end of the address
         * space. */
        uintptr_t start = (uintptr_t)address[i];
        uintptr_t end = start + ((uintptr_t)(operand->reach - operand->offset) + 1) * operand->element_bytes;
        struct operand_label label;
        if (workspace_bytes > 0 && start < workspace_start + workspace_bytes && workspace_start < end)
            return report_misuse(RULE_WORKSPACE, ACLNN_ERR_PARAM_INVALID,
                                 "%s: workspace %p of %llu bytes overlaps %s; memory of its own is expected",
                                 executor->content.operation->name, workspace,
                                 (unsigned long long)workspace_bytes, label_operand(executor, i, &label));
        address[i] = memory_reach(address[i]);
    }
    return ACLNN_SUCCESS;
}

/* Whoever refused the work has said and reported why in this operator's name; of streams operators have their
 * own words. */
static aclnnStatus stream_fault(const char *api, int status)
{
    if (status == ACL_ERROR_RT_CONTEXT_NULL)
        return fail_unreported(
            ACLNN_ERR_RUNTIME_ERROR,
            "%s: this thread has no current context, whose default stream NULL means; a stream, or "
            "aclrtSetDevice before, is expected",
            api);
    if (status == ACL_ERROR_RT_INVALID_HANDLE)
        return fail_unreported(
            ACLNN_ERR_RUNTIME_ERROR,
            "%s: stream is not a live stream; one from aclrtCreateStream, or NULL for the default "
            "stream, is expected",
            api);
    return ACLNN_ERR_RUNTIME_ERROR;
}

/*
 * Temporary memory for the work, or NULL when none is needed; 361001 when there is none. Much memory is only
 * tried here and given back: if queued works held it, each would have new pages, which cost a fault each.
 */
static aclnnStatus find_scratch(struct work *work)
{
    const size_t bytes = work_scratch_bytes(work);
    work->takes_scratch = bytes >= SCRATCH_KEPT_MIN && work->call == NULL;
    work->scratch = bytes > 0 ? scratch_create(bytes) : NULL;
    if (bytes > 0 && work->scratch == NULL)
        return fail(ACLNN_ERR_RUNTIME_ERROR, "%s: there is no memory for %zu temporary bytes",
                    work->executor->content.operation->name, bytes);
    if (work->takes_scratch) {
        scratch_destroy(work->scratch);
        work->scratch = NULL;
    }
    return ACLNN_SUCCESS;
}

/* Room for the addresses of the work's operands; 361001 when there is none. */
static aclnnStatus work_create_room(struct work *work)
{
    const struct executor_content *content = &work->executor->content;
    work->more = NULL;
    if (__builtin_expect(content->operand_count <= WORK_OPERANDS, 1))
        return ACLNN_SUCCESS;
    work->more = (void **)malloc(content->operand_count * (sizeof(void *) + sizeof(bool)));
    if (work->more == NULL)
        return fail(ACLNN_ERR_RUNTIME_ERROR, "%s: there is no memory for the addresses of %u tensors",
                    content->operation->name, (unsigned)content->operand_count);
    return ACLNN_SUCCESS;
}

/* Checks and queues the claimed executor. On success the task has a reference of its own. */
static aclnnStatus launch(struct executor *executor, void *workspace, uint64_t workspaceSize,
                          aclrtStream stream, const struct settings *settings)
{
    const char *api = executor->content.operation->name;
    if (workspaceSize < executor->content.workspace_bytes)
        return report_misuse(RULE_WORKSPACE, ACLNN_ERR_PARAM_INVALID,
                             "%s: workspaceSize is %llu; the %llu bytes that phase 1 asked for are expected",
                             api, (unsigned long long)workspaceSize,
                             (unsigned long long)executor->content.workspace_bytes);
    struct stream_target target UNINITIALISED;
    int status = stream_find(api, stream, &target);
    if (status != 0)
        return stream_fault(api, status);
    if (workspaceSize > 0)
        TRY(check_workspace(api, workspace, workspaceSize, target.device, settings));
    if (executor->content.is_idle)
        return ACLNN_SUCCESS;

    /* Not cleared, as the compiler would otherwise do at some cost: every member that is read is set below.
     */
    struct task task UNINITIALISED;
    struct work *work = work_of(&task);
    work->executor = executor;
    TRY(work_create_room(work));
    task.run = work_run;
    task.release = work_release;
    task.is_current = work_is_current;
    task.use_scratch = work_use_scratch;
    task.repeats = work_repeats;
    task.describe = executor->content.view != NULL || executor->content.group != NULL ? work_describe : NULL;
    task.cost_ns = executor->content.cost_ns;
    task.runs_program =
        executor->content.group != NULL; /* it waits for other ranks as a program's function may */
    task.runs_once = executor->content.group != NULL;
    task.is_compound = false;
    task.number = 0;
    work->call = NULL;
    work->borrows_scratch = false;
    work->workspace = workspace;
    work->workspace_bytes = workspaceSize;

    /* The reference must exist before the task can end. A single-use executor hands over the claim's. */
    bool is_repeatable = executor->is_repeatable;
    if (executor->content.group != NULL) {
        work->call = groups->queue(api, executor->content.group, target.device, executor->content.exchanges);
        if (work->call == NULL) {
            free(work->more);
            return ACLNN_ERR_RUNTIME_ERROR;
        }
    }
    if (is_repeatable)
        atomic_fetch_add_explicit(&executor->references, 1, memory_order_relaxed);
    aclnnStatus fault;
    do {
        fault = resolve_all(executor, workspace, workspaceSize, target.device, settings, work);
        if (fault == ACLNN_SUCCESS)
            fault = find_scratch(work);
        if (fault != ACLNN_SUCCESS)
            break;
        status = stream_launch(api, &target, &task);
        if (status == 0) {
            order_workspace(api, target.identity, workspace, workspaceSize);
            return ACLNN_SUCCESS;
        }
        scratch_destroy(work->scratch);
        fault = status == STREAM_OUTDATED ? ACLNN_SUCCESS : stream_fault(api, status);
    } while (fault == ACLNN_SUCCESS);
    if (work->call != NULL)
        groups->release(work->call, false);
    free(work->more);
    if (is_repeatable)
        atomic_fetch_sub_explicit(&executor->references, 1, memory_order_relaxed);
    return fault;
}

/* Phase 2 from its first check on. */
aclnnStatus executor_launch_checked(const struct operation *operation, void *workspace,
                                    uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream,
                                    struct executor *claimed)
{
    const char *api = operation->name;
    TRACE_CALL_AS(api, TRACE_CALL_PLAIN);
    const struct settings *settings;
    made_changed((uint64_t)(uintptr_t)executor, EXECUTOR_RAN);
    if (settings_get(&settings) != 0) {
        if (claimed != NULL)
            executor_restore(claimed, executor);
        return ACLNN_ERR_RUNTIME_ERROR;
    }
    if (executor == NULL)
        return report_misuse(RULE_HANDLE, ACLNN_ERR_PARAM_NULLPTR,
                             "%s: executor is NULL; the one from %sGetWorkspaceSize is expected", api, api);
    struct executor *object = claimed != NULL ? claimed : executor_claim(executor);
    if (object == NULL)
        return report_misuse(
            RULE_EXECUTOR, ACLNN_ERR_PARAM_INVALID,
            "%s: executor %s, has run, or is in use by another thread; one from %sGetWorkspaceSize "
            "runs once, or once at a time if it is repeatable",
            api, executor_fault(executor), api);

    bool is_repeatable = object->is_repeatable;
    bool is_handed_over = false;
    aclnnStatus status;
    if (CHECKS_ARE_ON && object->content.operation != operation) {
        status = report_misuse(
            RULE_EXECUTOR, ACLNN_ERR_PARAM_INVALID,
            "%s: executor was made by %sGetWorkspaceSize; one from %sGetWorkspaceSize is expected", api,
            object->content.operation->name, api);
    } else if (workspaceSize > 0 && workspace == NULL) {
        status = report_misuse(
            RULE_WORKSPACE, ACLNN_ERR_PARAM_NULLPTR,
            "%s: workspace is NULL, but workspaceSize is %llu; memory, or a size of 0, is expected", api,
            (unsigned long long)workspaceSize);
        is_repeatable = false;
    } else {
        is_handed_over = !object->content.is_idle && !is_repeatable;
        status = launch(object, workspace, workspaceSize, stream, settings);
        is_handed_over = is_handed_over && status == 0;
    }
    if (is_repeatable)
        executor_restore(object, executor);
    else if (!is_handed_over)
        executor_drop(object);
    return status;
}
