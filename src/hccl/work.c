/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Queueing and running the work of communicators. A task blocks its thread while it waits for other ranks,
 * and gives its place in the pool away meanwhile, as functions of the program do.
 */
#include "hccl/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/faults/strike.h"
#include "runtime/streams/fault.h"
#include "runtime/addresses/memory.h"
#include "base/settings.h"
#include "runtime/streams/workers.h"

static struct work *work_of(const struct task *task)
{
    struct work *work;
    memcpy(&work, task->payload, sizeof work);
    return work;
}

int64_t work_deadline(const struct communicator *communicator)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    return communicator->timeout_ns < INT64_MAX - now_ns ? now_ns + communicator->timeout_ns : INT64_MAX;
}

HcclResult work_exchange(const struct link *link, uint64_t tag, const struct mesh_message *messages,
                         size_t message_count, int64_t deadline, struct mesh_fault *fault)
{
    workers_enter_program();
    HcclResult result = link_exchange(link, tag, messages, message_count, deadline, fault);
    workers_leave_program();
    return result;
}

/* What the stream is told. */
static int status_of(HcclResult result)
{
    return result == HCCL_E_TIMEOUT  ? ACL_ERROR_RT_TASK_TIMEOUT
           : result == HCCL_E_REMOTE ? ACL_ERROR_RT_SUSPECT_REMOTE_ERROR
                                     : ACL_ERROR_RT_AICPU_EXCEPTION;
}

/* The communicator, the stream, the log and, unless it is what others have reported, the checker hear of it.
 */
int work_tell(const struct work *work, const struct trouble *trouble, bool is_first)
{
    char sentence[FAULT_SENTENCE_BYTES];
    const int status = trouble->status != 0 ? trouble->status : status_of(trouble->result);
    /* Where the sentence opens with the call, that is what opens all sentences. */
    const char *text = trouble->sentence;
    const size_t length = strlen(work->api);
    if (strncmp(text, work->api, length) == 0 && strncmp(text + length, " of ", 4) == 0)
        text += length + 4;
    snprintf(sentence, sizeof sentence, "%s: %s", work->api, text);
    communicator_fail(work->communicator, trouble->result, sentence);
    if (!is_first)
        return operation_fail(status, "%s", sentence);
    const bool has_place = work->place.number != 0;
    const struct finding finding = {
        .rule = trouble->rule,
        .advice = trouble->rule == RULE_COLLECTIVE
                      ? "All ranks call the same collectives of a communicator in the same order."
                      : NULL,
        .place = {{has_place ? "called by" : NULL, has_place ? &work->place : NULL}}};
    report_failed_work(&finding, status, sentence);
    return operation_fail(status, "%s", sentence);
}

bool work_is_struck(const struct work *work, enum fault_event event, struct trouble *trouble, bool *disagrees)
{
    const struct communicator *communicator = work->communicator;
    const struct fault_occasion occasion = {
        .event = event, .name = work->api, .device = communicator->device, .rank = communicator->rank};
    struct fault_blow blow;
    *disagrees = false;
    /* Nobody else would see it. */
    if (communicator->rank_count == 1)
        return false;
    /* It may rest here, or be stopped: as where it waits for the others. */
    workers_enter_program();
    const bool is_struck = fault_strikes(&occasion, &blow);
    workers_leave_program();
    *disagrees = is_struck && blow.deed == DEED_DISAGREE;
    if (!is_struck || *disagrees)
        return false;
    if (blow.deed == DEED_CUT)
        communicators_cut(communicator->device);
    trouble->result = HCCL_E_REMOTE;
    trouble->status = blow.deed == DEED_CUT ? ACL_ERROR_RT_SUSPECT_REMOTE_ERROR : blow.code;
    snprintf(trouble->sentence, sizeof trouble->sentence, "%s, on rank %u of %u: %s%s", work->api,
             (unsigned)communicator->rank, (unsigned)communicator->rank_count, blow.sentence,
             blow.deed == DEED_CUT ? ": its connections are cut" : "");
    return true;
}

static int run_work(struct task *task)
{
    struct work *work = work_of(task);
    struct communicator *communicator = work->communicator;
    struct trouble trouble = {.rule = RULE_WORK};
    streams_start_queued(); /* this is a wait, and what the others wait for may be held back */
    if (!communicator_begin(communicator, &trouble.result, trouble.sentence, sizeof trouble.sentence)) {
        const uint32_t before = atomic_load_explicit(&communicator->error, memory_order_acquire);
        return work_tell(work, &trouble, before == HCCL_SUCCESS);
    }
    bool is_done = work->run(work, &trouble);
    communicator_end(communicator);
    return is_done ? 0 : work_tell(work, &trouble, true);
}

static void release_work(struct task *task)
{
    struct work *work = work_of(task);
    communicator_work_released(work->communicator);
    free(work);
}

static bool is_current(const struct task *task)
{
    const struct work *work = work_of(task);
    for (uint32_t i = 0; i < work->operand_count; i++)
        if (work->operand[i].is_in_block &&
            memory_usable_bytes(work->operand[i].address, work->communicator->device) <
                work->operand[i].bytes)
            return false;
    return true;
}

static void describe(const struct task *task, struct access_visitor *visitor)
{
    const struct work *work = work_of(task);
    work->describe(work, visitor);
}

HcclResult work_check_operand(struct work *work, uint32_t index, uint32_t element_bytes, int32_t device)
{
    const char *api = work->api;
    struct operand *operand = &work->operand[index];
    const struct settings *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    if (operand->bytes == 0)
        return HCCL_SUCCESS;
    if (operand->address == NULL)
        return (HcclResult)fail(HCCL_E_PTR, "%s: argument %s is NULL; device memory is expected", api,
                                operand->parameter);
    if ((uintptr_t)operand->address % (element_bytes > 8 ? 8 : element_bytes) != 0)
        return (HcclResult)report_misuse(
            RULE_ALIGNMENT, HCCL_E_PARA,
            "%s: argument %s, %p, is not a multiple of its element size of %u bytes", api, operand->parameter,
            operand->address, (unsigned)element_bytes);
    struct memory_block block;
    const bool allows_host = settings != NULL && settings->host_pointers_allowed;
    const bool is_found = memory_find(operand->address, &block);
    if (is_found && (block.place == MEMORY_DEVICE ? block.device == device : allows_host)) {
        const uint64_t usable = block.bytes - ((uintptr_t)operand->address - block.base);
        operand->is_in_block = usable >= operand->bytes;
        if (operand->is_in_block)
            return HCCL_SUCCESS;
        return (HcclResult)report_misuse_of(
            operand->address, RULE_VIEW, HCCL_E_PARA,
            "%s: argument %s, %p, needs %llu bytes, but its block has %llu from there on", api,
            operand->parameter, operand->address, (unsigned long long)operand->bytes,
            (unsigned long long)usable);
    }
    if (is_found || !allows_host) {
        char text[MEMORY_TEXT_BYTES], owner[24] = "";
        memory_describe(operand->address, text, sizeof text);
        if (is_found && block.place == MEMORY_DEVICE)
            snprintf(owner, sizeof owner, " of device %d", (int)block.device);
        return (HcclResult)report_misuse_of(
            operand->address, RULE_PLACE, HCCL_E_PARA,
            "%s: argument %s, %p, %s%s; memory of the communicator's device %d is expected", api,
            operand->parameter, operand->address, text, owner, (int)device);
    }
    return HCCL_SUCCESS;
}

HcclResult work_find_stream(const char *api, const struct communicator *communicator, aclrtStream stream,
                            struct stream_target *target)
{
    if (stream_find(api, stream, target) != 0) /* which has said why */
        return HCCL_E_RUNTIME;
    if (target->device == communicator->device)
        return HCCL_SUCCESS;
    return (HcclResult)report_misuse(RULE_OWNER, HCCL_E_PARA,
                                     "%s: argument stream is of device %d; a stream of the communicator's "
                                     "device %d is expected",
                                     api, (int)target->device, (int)communicator->device);
}

/* The codes by which streams that are being recorded refuse work. */
static bool refuses_to_record(int status)
{
    return status == ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT ||
           status == ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT ||
           status == ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;
}

HcclResult work_submit(struct work *work, const struct stream_target *target)
{
    struct task task = {.run = run_work,
                        .release = release_work,
                        .is_current = is_current,
                        .describe = describe,
                        .cost_ns = TASK_NEVER_INLINE,
                        .runs_program = true,
                        .runs_once = true};
    struct communicator *communicator = work->communicator;
    const struct settings *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    if (settings != NULL && settings->checks != 0)
        work->place = listener->place_of_report(work->api);
    memcpy(task.payload, &work, sizeof work);
    communicator_work_queued(communicator);
    int status = stream_launch(work->api, target, &task);
    if (status == 0)
        return HCCL_SUCCESS;
    HcclResult result = status == STREAM_OUTDATED       ? HCCL_E_PARA
                        : refuses_to_record(status)     ? HCCL_E_NOT_SUPPORT
                        : status == ACL_ERROR_BAD_ALLOC ? HCCL_E_MEMORY
                                                        : HCCL_E_RUNTIME;
    if (status == STREAM_OUTDATED)
        report_misuse(RULE_FREE, HCCL_E_PARA,
                      "%s: a buffer was freed by another thread during the call; one that stays until the "
                      "work is done is expected",
                      work->api);
    communicator_work_released(communicator);
    free(work);
    return result;
}
