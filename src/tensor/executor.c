/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Executors: their life from phase 1 to the end of the work that phase 2 queued. The checks of phase 2 are in
 * launch.c.
 */
#include "tensor/executor.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/tasks/access.h"
#include "base/made.h"
#include "base/error.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/timeline/trace.h"
#include "tensor/array.h"
#include "tensor/executor_claim.h"
#include "tensor/lifetime.h"
#include "tensor/tensor_slot.h"

struct handle_table executor_table = HANDLE_TABLE(HANDLE_EXECUTOR, struct executor, HANDLES_MAX);
_Thread_local struct executor_spare executor_spare_of_thread;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

/* Frees the slot, and the block that it would otherwise keep from all threads. */
static void slot_release(struct executor *executor)
{
    free(executor->block);
    executor->block = NULL;
    executor->block_bytes = 0;
    free(executor->views);
    executor->views = NULL;
    executor->views_bytes = 0;
    handle_release(&executor_table, executor);
}

static void give_back(void *thread)
{
    struct executor_spare *own = &executor_spare_of_thread;
    (void)thread;
    /* What a later destructor of this thread finishes registers it again. */
    own->is_registered = false;
    for (uint32_t i = 0; i < EXECUTORS_KEPT; i++) {
        if (own->executor[i] != NULL)
            slot_release(own->executor[i]);
        own->executor[i] = NULL;
    }
}

static void create_key(void)
{
    has_key = pthread_key_create(&key, give_back) == 0;
}

static bool register_thread(void)
{
    pthread_once(&key_once, create_key);
    executor_spare_of_thread.is_registered =
        has_key && pthread_setspecific(key, &executor_spare_of_thread) == 0;
    return executor_spare_of_thread.is_registered;
}

static struct executor *take_spare(uint32_t place)
{
    struct executor_spare *own = &executor_spare_of_thread;
    struct executor *executor = own->executor[place];
    own->executor[place] = NULL;
    own->vacant = place;
    return executor;
}

/* A slot for a call that repeats none of those that are kept: a new one where next has none to take. */
static struct executor *slot_acquire(void)
{
    struct executor_spare *own = &executor_spare_of_thread;
    if (own->executor[own->next] != NULL)
        return take_spare(own->next);
    struct executor *executor = (struct executor *)handle_acquire(&executor_table);
    for (uint32_t i = 0; executor == NULL && i < EXECUTORS_KEPT; i++)
        if (own->executor[i] != NULL)
            executor = take_spare(i);
    return executor;
}

void executor_release(struct executor *executor)
{
    struct executor_spare *own = &executor_spare_of_thread;
    uint32_t place = 0;
    while (place < EXECUTORS_KEPT && own->executor[place] != NULL)
        place++;
    if (place < EXECUTORS_KEPT && executor->slot.generation != UINT32_MAX &&
        (own->is_registered || register_thread()))
        own->executor[place] = executor;
    else
        slot_release(executor);
}

static uint64_t handle_of(const aclOpExecutor *executor)
{
    return (uint64_t)(uintptr_t)executor;
}

/* Leads the pointers to the executor's own members. */
static inline void use_own_room(struct executor *executor)
{
    executor->place = executor->own_place;
    executor->address = executor->own_address;
    executor->content.operand = executor->own_operand;
    executor->content.argument = executor->own_argument;
    executor->content.argument_kind = executor->own_argument_kind;
    executor->content.plan = executor->own_plan;
}

/*
 * Leads the pointers into the executor's block, which is made longer where it is too short. False when there
 * is no memory: nothing has changed then. The plan comes first, for its alignment; what needs less follows
 * what needs more.
 */
static __attribute__((noinline)) bool use_block(struct executor *executor, uint32_t operand_count,
                                                uint32_t argument_count, size_t plan_bytes)
{
    const size_t operand_bytes =
        sizeof *executor->content.operand + sizeof *executor->place + sizeof *executor->address;
    const size_t argument_bytes =
        sizeof *executor->content.argument + sizeof *executor->content.argument_kind;
    /* The counts have 32 bits, so that only the plan can be too long for a sum. */
    if (plan_bytes > PTRDIFF_MAX / 2)
        return false;
    plan_bytes = (plan_bytes + EXECUTOR_PLAN_ALIGNMENT - 1) & ~(size_t)(EXECUTOR_PLAN_ALIGNMENT - 1);
    size_t bytes = plan_bytes + operand_count * operand_bytes + argument_count * argument_bytes;
    bytes = (bytes + EXECUTOR_PLAN_ALIGNMENT - 1) & ~(size_t)(EXECUTOR_PLAN_ALIGNMENT - 1);
    if (bytes > executor->block_bytes) {
        void *block = aligned_alloc(EXECUTOR_PLAN_ALIGNMENT, bytes);
        if (block == NULL)
            return false;
        free(executor->block);
        executor->block = block;
        executor->block_bytes = bytes;
    }
    struct executor_content *content = &executor->content;
    content->plan = (unsigned char *)executor->block;
    content->operand = (struct executor_operand *)(void *)(content->plan + plan_bytes);
    executor->place = (struct operand_place *)(void *)(content->operand + operand_count);
    executor->address = (void **)(void *)(executor->place + operand_count);
    content->argument = (uint64_t *)(void *)(executor->address + operand_count);
    content->argument_kind = (uint8_t *)(content->argument + argument_count);
    return true;
}

/* Makes room for the views that somebody watches. False when there is no memory. */
static __attribute__((noinline, cold)) bool use_views(struct executor *executor, uint32_t operand_count)
{
    size_t bytes = (operand_count + (size_t)1) * sizeof *executor->views;
    if (bytes > executor->views_bytes) {
        struct executor_view *views = (struct executor_view *)realloc(executor->views, bytes);
        if (views == NULL)
            return false;
        executor->views = views;
        executor->views_bytes = bytes;
    }
    memset(executor->views, 0, bytes); /* an operand that is not described is none */
    executor->content.view = executor->views;
    return true;
}

aclnnStatus executor_begin(const struct operation *operation, uint32_t operand_count, uint32_t argument_count,
                           size_t plan_bytes, struct executor_content **content)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return ACLNN_ERR_RUNTIME_ERROR;
    struct executor *executor = slot_acquire();
    bool is_common = operand_count <= EXECUTOR_OPERANDS && argument_count <= EXECUTOR_ARGUMENTS &&
                     plan_bytes <= EXECUTOR_PLAN_BYTES;
    if (executor != NULL && __builtin_expect(is_common, 1)) {
        use_own_room(executor);
    } else if (executor != NULL && !use_block(executor, operand_count, argument_count, plan_bytes)) {
        executor_release(executor);
        executor = NULL;
    }
    if (executor != NULL) {
        executor->content.view = NULL;
        if (accesses_are_watched() && !use_views(executor, operand_count)) {
            executor_release(executor);
            executor = NULL;
        }
    }
    if (executor == NULL)
        return fail(ACLNN_ERR_INNER_CREATE_EXECUTOR,
                    "%sGetWorkspaceSize: there is no memory for another executor", operation->name);
    executor->device = NO_PLACES;
    *content = &executor->content;
    (*content)->operation = (*content)->runs = operation;
    (*content)->workspace_bytes = settings->workspace_bytes;
    (*content)->cost_ns = 0;
    (*content)->is_idle = false;
    (*content)->group = NULL;
    (*content)->operand_count = operand_count;
    (*content)->argument_count = argument_count;
    (*content)->handle_count = 0;
    return ACLNN_SUCCESS;
}

/* The end of phase 1, for a slot that is the thread's own. */
static inline void publish(struct executor_spare *own, struct executor *object, uint64_t *workspaceSize,
                           aclOpExecutor **executor)
{
    atomic_store_explicit(&object->references, 1, memory_order_relaxed);
    object->is_repeatable = false;
    own->finished = object;
    *workspaceSize = object->content.workspace_bytes;
    uint64_t handle = handle_publish(&executor_table, object);
    *executor = (aclOpExecutor *)(uintptr_t)handle;
    made(HANDLE_EXECUTOR, handle, 0, -1, object->content.operation->name);
}

void executor_finish(struct executor_content *content, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    unsigned char *start = (unsigned char *)content - offsetof(struct executor, content);
    publish(&executor_spare_of_thread, (struct executor *)(void *)start, workspaceSize, executor);
}

/* Whether the content was made by this call. */
static inline bool is_result_of(const struct executor *executor, const struct operation *operation,
                                const void *argument, uint32_t argument_count)
{
    const struct executor_content *content = &executor->content;
    if (content->operation != operation || content->argument_count != argument_count)
        return false;
    for (uint32_t i = 0; i < argument_count; i++) {
        uint64_t word;
        memcpy(&word, (const unsigned char *)argument + i * sizeof word, sizeof word);
        if (content->argument[i] != word)
            return false;
    }
    return true;
}

/* Whether the tensors are as phase 1 saw them, for an executor that knows no places. */
static __attribute__((noinline)) bool tensors_are_unchanged(const struct executor_content *content)
{
    for (uint32_t i = 0; i < content->operand_count; i++) {
        const struct executor_operand *operand = &content->operand[i];
        if (operand->tensor != NULL && !tensor_slot_is_unchanged(operand->tensor, operand->version))
            return false;
    }
    return true;
}

/* Whether all objects that are arguments, but for tensors, are live: none of them can have changed then. */
static bool arguments_are_live(const struct executor_content *content)
{
    for (uint32_t i = 0; i < content->argument_count; i++) {
        enum handle_kind kind = (enum handle_kind)content->argument_kind[i];
        uint64_t handle = content->argument[i];
        if (kind == HANDLE_SCALAR ? handle_find(&scalar_table, handle) == NULL
                                  : kind != 0 && !array_is_whole(kind, (const void *)(uintptr_t)handle))
            return false;
    }
    return true;
}

/* Whether the call would have the same result now. */
static inline bool is_unchanged(const struct executor *executor)
{
    const struct executor_content *content = &executor->content;
    if (__builtin_expect(executor->device == NO_PLACES, 0)) {
        if (!tensors_are_unchanged(content))
            return false;
    } else {
        for (uint32_t i = 0; i < content->operand_count; i++)
            if (atomic_load_explicit(executor->place[i].version, memory_order_acquire) !=
                executor->place[i].expected)
                return false;
    }
    return content->handle_count == 0 || arguments_are_live(content);
}

/* The lookup took no time worth telling. */
static __attribute__((noinline, cold)) void tell_repeated(const struct operation *operation)
{
    TRACE_CALL_AS(operation->name, TRACE_CALL_PHASE_1);
}

bool executor_repeat(const struct operation *operation, const void *argument, uint32_t argument_count,
                     uint64_t *workspaceSize, aclOpExecutor **executor)
{
    if (workspaceSize == NULL || executor == NULL || argument_count == 0 ||
        atomic_load_explicit(&settings_current, memory_order_relaxed) == NULL)
        return false;
    struct executor_spare *own = &executor_spare_of_thread;
    for (uint32_t i = 0; i < EXECUTORS_KEPT; i++) {
        struct executor *spare = own->executor[i];
        if (spare == NULL || !is_result_of(spare, operation, argument, argument_count))
            continue;
        bool lacks_views = accesses_are_watched() && spare->content.view == NULL; /* they are told now */
        if (lacks_views || !is_unchanged(spare)) {
            own->next = i; /* nothing will repeat it any more */
            return false;
        }
        own->executor[i] = NULL;
        own->vacant = i;
        publish(own, spare, workspaceSize, executor);
        if (__builtin_expect(spare->device == NO_PLACES, 0)) /* as where somebody watches */
            tell_repeated(operation);
        return true;
    }
    own->next = (own->vacant + 1) % EXECUTORS_KEPT;
    return false;
}

const char *executor_fault(const aclOpExecutor *executor)
{
    return handle_fault(&executor_table, handle_of(executor));
}

/*
 * An executor that runs again may do so when somebody has begun to watch, as a profile that leaves the first
 * steps out: its views are kept while the tensors are what phase 1 saw. Without memory for them it has none.
 */
static void keep_views(struct executor *executor)
{
    struct executor_content *content = &executor->content;
    if (content->view != NULL || !use_views(executor, content->operand_count))
        return;
    for (uint32_t i = 0; i < content->operand_count; i++) {
        const struct executor_operand *operand = &content->operand[i];
        struct tensor_view view;
        if (operand->tensor == NULL || !tensor_read(operand->tensor, &view) ||
            !tensor_slot_is_unchanged(operand->tensor, operand->version))
            continue;
        struct executor_view *kept = &content->view[i];
        kept->dtype = view.dtype;
        kept->mode = (operand->input != OPERAND_IN_NO_PLACE ? (uint32_t)ACCESS_READ : 0) |
                     (operand->output != OPERAND_IN_NO_PLACE ? (uint32_t)ACCESS_WRITTEN : 0);
        kept->rank = view.rank;
        memcpy(kept->shape, view.shape, view.rank * sizeof *kept->shape);
        memcpy(kept->stride, view.stride, view.rank * sizeof *kept->stride);
    }
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
    TRY(lifetime_check());
    if (executor == NULL)
        return report_misuse(RULE_HANDLE, ACLNN_ERR_INNER_NULLPTR,
                             "aclSetAclOpExecutorRepeatable: executor is NULL; an executor is expected");
    struct executor *object = executor_claim(executor);
    if (object == NULL)
        return fail(ACLNN_ERR_INNER,
                    "aclSetAclOpExecutorRepeatable: executor %s; one that has not run yet and that no other "
                    "thread uses is expected",
                    executor_fault(executor));
    object->is_repeatable = true;
    keep_views(object);
    made_changed(handle_of(executor), EXECUTOR_REPEATABLE);
    executor_restore(object, executor);
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
    TRY(lifetime_check());
    if (executor == NULL)
        return report_misuse(RULE_HANDLE, ACLNN_ERR_INNER_NULLPTR,
                             "aclDestroyAclOpExecutor: executor is NULL; an executor is expected");
    struct executor *object = executor_claim(executor);
    if (object == NULL)
        return fail(
            ACLNN_ERR_INNER,
            "aclDestroyAclOpExecutor: executor %s; one that has not run yet, or a repeatable one that "
            "no other thread uses, is expected",
            executor_fault(executor));
    made_end(handle_of(executor));
    executor_drop(object);
    return ACLNN_SUCCESS;
}
