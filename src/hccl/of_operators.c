/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The exchanges of operators with other ranks, which find a communicator by its name. They are collectives as
 * those that programs call, but for the task that they are parts of.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hccl/collective.h"
#include "runtime/groups/groups.h"
#include "runtime/streams/fault.h"

struct group_call {
    struct work work;
    uint64_t number; /* of the first exchange */
    uint32_t exchanges, done;
};

static bool find(const char *name, int32_t device, struct group_place *place)
{
    struct communicator *communicator =
        communicator_check_process() == HCCL_SUCCESS ? communicator_named(name, device) : NULL;
    if (communicator == NULL)
        return false;
    *place = (struct group_place){communicator->rank, communicator->rank_count};
    communicator_drop(communicator);
    return true;
}

static struct group_call *queue(const char *api, const char *name, int32_t device, uint32_t exchanges)
{
    struct communicator *communicator = communicator_named(name, device);
    if (communicator == NULL) {
        fail(HCCL_E_PARA, "%s: no communicator of device %d is called \"%s\" any more", api, (int)device,
             name);
        return NULL;
    }
    struct group_call *call = (struct group_call *)calloc(1, sizeof *call);
    pthread_mutex_lock(&communicator->lock);
    const uint32_t error = atomic_load_explicit(&communicator->error, memory_order_relaxed);
    if (error != HCCL_SUCCESS)
        fail_unreported((int)error, "%s: the communicator has failed before: %s", api,
                        communicator->sentence);
    else if (call == NULL)
        fail(HCCL_E_MEMORY, "%s: there is no memory for the work", api);
    const bool is_queued = error == HCCL_SUCCESS && call != NULL;
    if (is_queued) {
        call->number = communicator->numbered + 1;
        communicator->numbered += exchanges;
    }
    pthread_mutex_unlock(&communicator->lock);
    if (is_queued) {
        const struct settings *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
        call->work = (struct work){.api = api, .communicator = communicator};
        if (settings != NULL && settings->checks != 0)
            call->work.place = listener->place_of_report(api);
        call->exchanges = exchanges;
        communicator_work_queued(communicator);
    }
    communicator_drop(communicator);
    if (is_queued)
        return call;
    free(call);
    return NULL;
}

static void release(struct group_call *call, bool was_queued)
{
    struct communicator *communicator = call->work.communicator;
    if (!was_queued) { /* the next call takes the numbers, unless another thread has gone on */
        pthread_mutex_lock(&communicator->lock);
        if (communicator->numbered == call->number + call->exchanges - 1)
            communicator->numbered -= call->exchanges;
        pthread_mutex_unlock(&communicator->lock);
    }
    communicator_work_released(communicator);
    free(call);
}

static int begin(struct group_call *call)
{
    struct communicator *communicator = call->work.communicator;
    struct trouble trouble = {.rule = RULE_WORK};
    streams_start_queued(); /* this is a wait, and what the others wait for may be held back */
    if (communicator_begin(communicator, &trouble.result, trouble.sentence, sizeof trouble.sentence)) {
        call->done = 0;
        return 0;
    }
    const uint32_t before = atomic_load_explicit(&communicator->error, memory_order_acquire);
    return work_tell(&call->work, &trouble, before == HCCL_SUCCESS);
}

/* Where the work fails by itself, the others learn that this rank does not come. */
static void end(struct group_call *call, int status)
{
    struct communicator *communicator = call->work.communicator;
    if (status != 0 && atomic_load_explicit(&communicator->error, memory_order_acquire) == HCCL_SUCCESS) {
        char sentence[FAULT_SENTENCE_BYTES];
        snprintf(sentence, sizeof sentence, "%s: its work failed on this rank, before all others were met",
                 call->work.api);
        if (call->done < call->exchanges && communicator->rank_count > 1) {
            communicator_fail(communicator, HCCL_E_PARA, sentence);
            link_cancel(&communicator->link);
        }
    }
    communicator_end(communicator);
}

static uint32_t data_type_of(aclDataType dtype)
{
    return dtype == ACL_FLOAT           ? HCCL_DATA_TYPE_FP32
           : dtype == ACL_FLOAT16       ? HCCL_DATA_TYPE_FP16
           : dtype == ACL_BF16          ? HCCL_DATA_TYPE_BFP16
           : dtype == ACL_INT32         ? HCCL_DATA_TYPE_INT32
           : dtype == ACL_HIFLOAT8      ? HCCL_DATA_TYPE_HIF8
           : dtype == ACL_FLOAT8_E4M3FN ? HCCL_DATA_TYPE_FP8E4M3
           : dtype == ACL_FLOAT8_E5M2   ? HCCL_DATA_TYPE_FP8E5M2
                                        : HCCL_DATA_TYPE_INT8;
}

static int exchange(struct group_call *call, const struct group_exchange *asked)
{
    struct communicator *communicator = call->work.communicator;
    const uint32_t own = communicator->rank;
    if (!asked->sums && asked->sends[own].bytes != asked->receives[own].bytes)
        return operation_fail(ACL_ERROR_RT_AICPU_EXCEPTION,
                              "%s: rank %u sends itself %llu bytes and expects %llu; as many are expected",
                              call->work.api, (unsigned)own, (unsigned long long)asked->sends[own].bytes,
                              (unsigned long long)asked->receives[own].bytes);
    struct collective *collective = collective_create(
        call->work.api, (enum call_kind)(CALL_OF_OPERATORS + (unsigned)asked->kind), communicator);
    if (collective == NULL)
        return operation_fail(ACL_ERROR_RT_AICPU_EXCEPTION, "there is no memory for what the ranks exchange");
    collective->work = call->work;
    collective->call.data_type = data_type_of(asked->dtype);
    collective->call.reduction = HCCL_REDUCE_SUM;
    collective->call.number = call->number + call->done;
    collective->call.count = asked->count;
    collective->element_bytes = data_type_bytes(collective->call.data_type);
    collective->reads = asked->reads;
    collective->writes = asked->writes;
    collective->reduces = asked->sums;
    collective->gathers = asked->gathers;
    for (uint32_t rank = 0; rank < communicator->rank_count; rank++) {
        collective->sends[rank] = (struct span){asked->sends[rank].offset, asked->sends[rank].bytes};
        if (!asked->sums)
            collective->receives[rank] =
                (struct span){asked->receives[rank].offset, asked->receives[rank].bytes};
    }
    struct trouble trouble = {.rule = RULE_WORK};
    const bool is_done = collective_run(&collective->work, &trouble);
    free(collective);
    call->done += is_done;
    return is_done ? 0 : work_tell(&call->work, &trouble, true);
}

static void describe(const struct group_call *call, struct access_visitor *visitor)
{
    const struct communicator *communicator = call->work.communicator;
    for (uint32_t i = 0; i < call->exchanges; i++)
        access_visit_exchange(visitor, &(struct exchange_part){.group = communicator->identity,
                                                               .number = call->number + i,
                                                               .rank = communicator->rank,
                                                               .peer = EXCHANGE_OF_ALL,
                                                               .from = EXCHANGE_OF_ALL,
                                                               .to = EXCHANGE_OF_ALL,
                                                               .count = communicator->rank_count,
                                                               .takes = true});
}

static const struct groups own_groups = {.find = find,
                                         .queue = queue,
                                         .release = release,
                                         .begin = begin,
                                         .exchange = exchange,
                                         .end = end,
                                         .describe = describe};

__attribute__((constructor)) static void leave_groups(void)
{
    groups = &own_groups;
}
