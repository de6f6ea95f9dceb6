/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 2 of short work on an idle stream, which is what most calls are: one pass over the operands and no
 * call besides the operator's own. Whatever is not plainly right is left to launch.c, which knows all rules.
 */
#include "runtime/tasks/access.h"
#include "base/float_environment.h"
#include "runtime/addresses/memory_record.h"
#include "runtime/addresses/reach.h"
#include "runtime/streams/refusal.h"
#include "base/settings.h"
#include "runtime/streams/stream_claim.h"
#include "tensor/copies.h"
#include "tensor/executor_claim.h"
#include "tensor/operand_rules.h"
#include "tensor/tensor_slot.h"

/* The record of what needs none, and the version of no tensor. */
static const _Atomic uint64_t no_record;
static const _Atomic uint32_t no_version;

/* The block around the tensor's address, looked up anew, for those who come next, too. */
static __attribute__((noinline)) bool look_up_block(struct tensor *tensor, uint32_t version, const void *data,
                                                    struct tensor_place *place)
{
    uint64_t offset;
    if (!address_space_contains((uintptr_t)data, &offset))
        return false;
    place->record = memory_record(offset, &place->found, &place->bytes_left);
    if (place->record == NULL)
        return false;
    tensor_slot_set_place(tensor, version, place);
    return true;
}

/* The block around the address that the tensor has with this version. False when there is none. */
static inline bool find_block(struct tensor *tensor, uint32_t version, const void *data,
                              struct tensor_place *place)
{
    bool is_known = tensor_slot_place(tensor, version, place) &&
                    atomic_load_explicit(place->record, memory_order_seq_cst) == place->found;
    return __builtin_expect(is_known, 1) || look_up_block(tensor, version, data, place);
}

/* Looks an operand up. False unless the tensor is as phase 1 saw it and all of it lies in one block. */
static inline bool find_place(const struct executor_operand *operand, int32_t device,
                              struct operand_place *place, void **address)
{
    place->version = &no_version;
    place->expected = 0;
    place->record = &no_record;
    place->found = 0;
    *address = NULL;
    if (operand->tensor == NULL)
        return true;
    struct tensor *tensor = (struct tensor *)handle_find(&tensor_table, (uint64_t)(uintptr_t)operand->tensor);
    if (tensor == NULL || atomic_load_explicit(&tensor->version, memory_order_acquire) != operand->version)
        return false;
    place->version = &tensor->version;
    place->expected = operand->version;
    if (operand->is_empty)
        return true;
    /* With the version that it has, the tensor has the address that the operand has. */
    *address = memory_reach(operand_first(operand, operand->data));
    if (!CHECKS_ARE_ON)
        return true;
    struct tensor_place block;
    if (!find_block(tensor, operand->version, operand->data, &block))
        return false;
    place->record = block.record;
    place->found = block.found;
    return record_is_usable(block.found, device) && operand_fits(operand, operand->data, block.bytes_left);
}

/*
 * Finds the places of all operands. The executor is claimed, and so is a stream of the device. False where
 * the work is not for this file, too: where somebody watches it goes by a task, which can be described.
 */
static __attribute__((noinline)) bool find_places(struct executor *executor, int32_t device)
{
    const struct executor_content *content = &executor->content;
    executor->device = NO_PLACES;
    if (checks_are_on() || accesses_are_watched()) /* who looks at work where it is submitted */
        return false;
    if (content->workspace_bytes != 0 || content->is_idle)
        return false;
    for (uint32_t i = 0; i < content->operand_count; i++)
        if (!find_place(&content->operand[i], device, &executor->place[i], &executor->address[i]))
            return false;
    const struct operation *operation = content->runs;
    if ((operation->work_bytes != NULL && operation->work_bytes(content->plan) != 0) ||
        copies_bytes(content, executor->address) != 0)
        return false;
    if (operation->find_shortcut == NULL ||
        !operation->find_shortcut(content->plan, executor->address, &executor->shortcut))
        executor->shortcut.function = NULL;
    executor->device = device;
    return true;
}

/*
 * Whether everything is where it was. The stream is claimed before: memory that is live now stays until the
 * stream is left.
 */
static inline bool are_places_current(const struct executor *executor, int32_t device)
{
    if (executor->device != device)
        return false;
    for (uint32_t i = 0; i < executor->content.operand_count; i++) {
        const struct operand_place *place = &executor->place[i];
        if (atomic_load_explicit(place->version, memory_order_acquire) != place->expected)
            return false;
        if (CHECKS_ARE_ON && atomic_load_explicit(place->record, memory_order_seq_cst) != place->found)
            return false;
    }
    return true;
}

/* Runs the work of a claimed executor on a stream that the caller has claimed, and ends both claims. */
static inline void run_at_once(struct executor *executor, const aclOpExecutor *handle, struct stream *stream)
{
    const struct shortcut *shortcut = &executor->shortcut;
    int status = 0;
    stream_tasks_of_thread++;
    struct float_environment saved = float_environment_enter();
    if (__builtin_expect(shortcut->function != NULL, 1))
        shortcut->function(shortcut->input, shortcut->output, shortcut->count, shortcut->parameters, false);
    else
        status = executor_run(executor, executor->address, NULL);
    float_environment_leave(saved);
    if (__builtin_expect(executor->is_repeatable, 0))
        executor_restore(executor, handle);
    else
        executor_drop(executor);
    if (__builtin_expect(status != 0, 0))
        stream_note_status(stream, status);
    stream_leave(stream);
}

/*
 * The stream, claimed for the executor's work; NULL where the work must be queued, or something about the
 * call is not plainly right.
 */
static inline struct stream *claim_stream(const struct operation *operation, uint64_t workspace_bytes,
                                          const struct executor *executor, aclrtStream handle)
{
    const struct executor_content *content = &executor->content;
    struct stream *stream = executor_spare_of_thread.stream;
    uint64_t identity = (uint64_t)(uintptr_t)handle;
    if (__builtin_expect(!handle_names(identity, stream), 0)) {
        stream = (struct stream *)handle_find(&stream_table, identity);
        executor_spare_of_thread.stream = stream;
    }
    if (content->operation != operation || workspace_bytes != 0 || stream == NULL ||
        content->cost_ns >= atomic_load_explicit(&stream->inline_below_ns, memory_order_relaxed) ||
        !stream_claim(stream))
        return NULL;
    if (__builtin_expect(handle_is_live(stream, identity), 1))
        return stream;
    stream_leave(stream);
    return NULL;
}

/* What cannot run at once. */
static __attribute__((noinline)) aclnnStatus launch_checked(const struct operation *operation,
                                                            void *workspace, uint64_t workspaceSize,
                                                            aclOpExecutor *executor, aclrtStream stream,
                                                            struct executor *claimed)
{
    return refusal_or(
        operation->name, stream,
        executor_launch_checked(operation, workspace, workspaceSize, executor, stream, claimed));
}

aclnnStatus executor_launch(const struct operation *operation, void *workspace, uint64_t workspaceSize,
                            aclOpExecutor *executor, aclrtStream stream)
{
    struct executor *object = NULL;
    if (__builtin_expect(atomic_load_explicit(&settings_current, memory_order_acquire) != NULL, 1))
        object = executor_claim(executor);
    if (__builtin_expect(object == NULL, 0))
        return launch_checked(operation, workspace, workspaceSize, executor, stream, NULL);
    struct stream *target = claim_stream(operation, workspaceSize, object, stream);
    if (__builtin_expect(target != NULL, 1)) {
        int32_t device = atomic_load_explicit(&target->device, memory_order_relaxed);
        if (__builtin_expect(are_places_current(object, device) || find_places(object, device), 1)) {
            run_at_once(object, executor, target);
            return ACLNN_SUCCESS;
        }
        stream_leave(target);
    }
    return launch_checked(operation, workspace, workspaceSize, executor, stream, object);
}
