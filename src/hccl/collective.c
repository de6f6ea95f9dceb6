/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Collectives: numbered when they are called, compared between all ranks when they run, and then moved.
 */
#include "hccl/collective.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct collective *collective_create(const char *api, enum call_kind kind, struct communicator *communicator)
{
    const size_t spans = communicator->rank_count;
    struct collective *collective =
        (struct collective *)calloc(1, sizeof *collective + 2 * spans * sizeof(struct span));
    if (collective == NULL) {
        fail(HCCL_E_MEMORY, "%s: there is no memory for the work", api);
        return NULL;
    }
    collective->work.api = api;
    collective->work.communicator = communicator;
    collective->call.kind = kind;
    collective->sends = (struct span *)(void *)(collective + 1);
    collective->receives = collective->sends + spans;
    return collective;
}

HcclResult collective_refuse(struct collective *collective, HcclResult result)
{
    communicator_drop(collective->work.communicator);
    free(collective);
    return result;
}

/* What this rank tells that one. */
static struct wire_call call_for(const struct collective *collective, uint32_t rank)
{
    struct wire_call call = collective->call;
    const uint32_t own = collective->work.communicator->rank;
    call.sends = collective->sends[rank].bytes;
    call.expects = collective->reduces ? collective->sends[own].bytes : collective->receives[rank].bytes;
    call.check = wire_seal(&call);
    return call;
}

/* Appends to text, and cuts at the end. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t bytes, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, bytes - length, format, arguments);
    va_end(arguments);
}

/* "came: 1, 3; did not: 2, last seen at HcclBroadcast of 12 int64, root 0 (number 4)" */
static void tell_who_came(const struct collective *collective, const struct wire_call *others, char *text,
                          size_t bytes)
{
    struct communicator *communicator = collective->work.communicator;
    for (int comes = 1; comes >= 0; comes--) {
        const char *before = comes ? "; came: " : "; did not: ";
        for (uint32_t rank = 0; rank < communicator->rank_count; rank++) {
            bool has_come = rank == communicator->rank || others[rank].kind != CALL_NONE;
            if (has_come != (comes != 0))
                continue;
            append(text, bytes, "%s%u", before, (unsigned)rank);
            before = ", ";
            if (has_come)
                continue;
            pthread_mutex_lock(&communicator->lock);
            const struct wire_call last = communicator->peer[rank].last;
            pthread_mutex_unlock(&communicator->lock);
            char last_text[WIRE_TEXT_BYTES];
            wire_describe(&last, last_text);
            if (last.number != 0)
                append(text, bytes, " (last seen at %s, number %llu)", last_text,
                       (unsigned long long)last.number);
            else
                append(text, bytes, " (never seen)");
        }
    }
}

/* "HcclAllReduce of 12 fp32, sum, is number 5 of group_name_0, rank 0 of 4: rank 2 ..." */
static void tell_failure(const struct collective *collective, const char *what, struct trouble *trouble)
{
    const struct communicator *communicator = collective->work.communicator;
    char call[WIRE_TEXT_BYTES];
    wire_describe(&collective->call, call);
    snprintf(trouble->sentence, sizeof trouble->sentence,
             "%s, number %llu of %.60s, on rank %u of %u: %.200s", call,
             (unsigned long long)collective->call.number, communicator->name, (unsigned)communicator->rank,
             (unsigned)communicator->rank_count, what);
}

/* Compares what the others were asked to do. */
static bool all_agree(const struct collective *collective, const struct wire_call *others,
                      struct trouble *trouble)
{
    struct communicator *communicator = collective->work.communicator;
    for (uint32_t rank = 0; rank < communicator->rank_count; rank++) {
        if (rank == communicator->rank)
            continue;
        const struct wire_call own = call_for(collective, rank);
        const struct wire_call *other = &others[rank];
        if (other->check == wire_seal(other) && wire_agrees(&own, other))
            continue;
        char difference[280];
        if (other->check == wire_seal(other))
            wire_tell_difference(&own, communicator->rank, other, rank, difference, sizeof difference);
        else
            snprintf(difference, sizeof difference,
                     "rank %u speaks another protocol; the same release of "
                     "Belay on all ranks is expected",
                     (unsigned)rank);
        trouble->result = HCCL_E_PARA;
        trouble->rule = RULE_COLLECTIVE;
        snprintf(trouble->sentence, sizeof trouble->sentence,
                 "%s, of %.60s; the same call in the same order on all ranks is expected", difference,
                 communicator->name);
        return false;
    }
    return true;
}

/* The others' calls, in room for them and for the own ones behind; with them what is short. */
static HcclResult meet(const struct collective *collective, struct transfer *transfer,
                       struct wire_call *others, int64_t deadline, struct mesh_fault *fault)
{
    struct communicator *communicator = collective->work.communicator;
    const uint32_t ranks = communicator->rank_count;
    struct wire_call *own = others + ranks;
    struct mesh_message *message = (struct mesh_message *)malloc((size_t)ranks * 2 * sizeof *message);
    size_t messages = 0;
    if (message == NULL) {
        *fault = (struct mesh_fault){-1, "there is no memory for what the ranks exchange"};
        return HCCL_E_MEMORY;
    }
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (rank == communicator->rank)
            continue;
        own[rank] = call_for(collective, rank);
        struct mesh_message *receive = &message[messages++], *send = &message[messages++];
        *receive = (struct mesh_message){.peer = rank, .receives = true, .head = &others[rank]};
        *send = (struct mesh_message){.peer = rank, .head = &own[rank]};
        transfer_with_calls(transfer, rank, receive, send);
    }
    HcclResult result = work_exchange(&communicator->link, collective->call.number << TAG_PART_BITS, message,
                                      messages, deadline, fault);
    free(message);
    pthread_mutex_lock(&communicator->lock);
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (others[rank].number > communicator->peer[rank].last.number)
            communicator->peer[rank].last = others[rank];
    pthread_mutex_unlock(&communicator->lock);
    return result;
}

/* False where a fault that was asked for ends it here. */
static bool goes_on(struct collective *collective, struct trouble *trouble)
{
    struct wire_call *call = &collective->call;
    bool disagrees;
    if (work_is_struck(&collective->work, FAULT_AT_COLLECTIVE, trouble, &disagrees))
        return false;
    /* The lengths of what moves stay as they are, and nothing moves where two calls differ. */
    if (disagrees && call->count > 0)
        call->count++;
    else if (disagrees)
        *call = (struct wire_call){
            .kind = CALL_ALL_REDUCE, .data_type = HCCL_DATA_TYPE_FP32, .number = call->number, .count = 1};
    return true;
}

bool collective_run(struct work *work, struct trouble *trouble)
{
    struct collective *collective = (struct collective *)(void *)work;
    if (fault_is_awaited(1 << FAULT_AT_COLLECTIVE | FAULT_DEVICE_LOST) && !goes_on(collective, trouble))
        return false;
    const int64_t deadline = work_deadline(work->communicator);
    struct mesh_fault fault = {.peer = -1};
    struct wire_call *others =
        (struct wire_call *)calloc((size_t)work->communicator->rank_count * 2, sizeof *others);
    struct transfer *transfer = transfer_begin(collective);
    if (others == NULL || transfer == NULL) {
        free(others);
        transfer_end(transfer);
        trouble->result = HCCL_E_MEMORY;
        tell_failure(collective, "there is no memory for what the ranks exchange", trouble);
        return false;
    }
    trouble->result = meet(collective, transfer, others, deadline, &fault);
    bool is_done = trouble->result == HCCL_SUCCESS;
    if (!is_done) {
        tell_failure(collective, fault.sentence, trouble);
        tell_who_came(collective, others, trouble->sentence, sizeof trouble->sentence);
    } else {
        is_done = all_agree(collective, others, trouble);
        if (is_done) {
            trouble->result = transfer_rest(transfer, deadline, &fault);
            is_done = trouble->result == HCCL_SUCCESS;
            if (!is_done)
                tell_failure(collective, fault.sentence, trouble);
        }
    }
    transfer_end(transfer);
    free(others);
    return is_done;
}

/* What is read, or written, of a buffer: its parts, of which those that go on where the one before ends are
 * one, and those that are as the one before are it. */
struct parts {
    struct access_visitor *visitor;
    const struct operand *operand;
    struct span last;
};

static void visit_parts(struct parts *parts)
{
    if (parts->last.bytes > 0)
        access_visit_bytes(parts->visitor, parts->operand->parameter, parts->operand->mode,
                           (unsigned char *)parts->operand->address + parts->last.offset, parts->last.bytes);
    parts->last.bytes = 0;
}

static void add_part(struct parts *parts, const struct span *part)
{
    struct span *last = &parts->last;
    if (part->bytes == 0 || (part->offset == last->offset && part->bytes == last->bytes))
        return;
    if (last->bytes > 0 && part->offset == last->offset + last->bytes) {
        last->bytes += part->bytes;
        return;
    }
    visit_parts(parts);
    *last = *part;
}

static void describe_reads(const struct collective *collective, struct access_visitor *visitor)
{
    struct parts parts = {.visitor = visitor, .operand = &collective->operand[0]};
    for (uint32_t rank = 0; rank < collective->work.communicator->rank_count; rank++)
        add_part(&parts, &collective->sends[rank]);
    visit_parts(&parts);
}

static void describe_writes(const struct collective *collective, struct access_visitor *visitor)
{
    struct parts parts = {.visitor = visitor, .operand = &collective->operand[1]};
    const uint32_t own = collective->work.communicator->rank;
    const struct span *receives = collective->reduces ? collective->sends : collective->receives;
    const uintptr_t own_from = (uintptr_t)collective->reads + collective->sends[own].offset;
    const uintptr_t own_to = (uintptr_t)collective->writes + collective->receives[own].offset;
    if (collective->reduces && !collective->gathers)
        add_part(&parts, &(struct span){0, parts.operand->bytes});
    for (uint32_t rank = 0; rank < collective->work.communicator->rank_count; rank++)
        /* Without a reduction a part that stays where it is is not written. */
        if (parts.operand->bytes > 0 && (!collective->reduces || collective->gathers) &&
            (collective->reduces || rank != own || own_from != own_to))
            add_part(&parts, &receives[rank]);
    visit_parts(&parts);
}

static void describe(const struct work *work, struct access_visitor *visitor)
{
    const struct collective *collective = (const struct collective *)(const void *)work;
    const struct communicator *communicator = work->communicator;
    const uint32_t root = collective->call.root;
    /* With a root the data go from there to all, or, where they are reduced, from all to there. */
    const bool is_from_root = collective->has_root && !collective->reduces;
    const bool is_to_root = collective->has_root && collective->reduces;
    describe_reads(collective, visitor);
    access_visit_exchange(
        visitor, &(struct exchange_part){.group = communicator->identity,
                                         .number = collective->call.number,
                                         .rank = communicator->rank,
                                         .peer = EXCHANGE_OF_ALL,
                                         .from = is_from_root ? root : EXCHANGE_OF_ALL,
                                         .to = is_to_root ? root : EXCHANGE_OF_ALL,
                                         .count = communicator->rank_count,
                                         .takes = is_from_root ? communicator->rank != root
                                                               : !is_to_root || communicator->rank == root});
    describe_writes(collective, visitor);
}

HcclResult collective_submit(struct collective *collective, const char *reads_parameter, uint64_t reads_bytes,
                             const char *writes_parameter, uint64_t writes_bytes, aclrtStream stream)
{
    struct work *work = &collective->work;
    struct communicator *communicator = work->communicator;
    struct stream_target target;
    collective->operand[0] = (struct operand){.parameter = reads_parameter,
                                              .address = collective->reads,
                                              .bytes = reads_bytes,
                                              .mode = ACCESS_READ};
    collective->operand[1] = (struct operand){.parameter = writes_parameter,
                                              .address = collective->writes,
                                              .bytes = writes_bytes,
                                              .mode = ACCESS_WRITTEN};
    work->operand = collective->operand;
    work->operand_count = 2;
    work->run = collective_run;
    work->describe = describe;
    HcclResult result = HCCL_SUCCESS;
    for (uint32_t i = 0; i < work->operand_count && result == HCCL_SUCCESS; i++)
        result = work_check_operand(work, i, collective->element_bytes, communicator->device);
    if (result == HCCL_SUCCESS)
        result = work_find_stream(work->api, communicator, stream, &target);
    if (result != HCCL_SUCCESS)
        return collective_refuse(collective, result);
    pthread_mutex_lock(&communicator->lock);
    const uint64_t number = ++communicator->numbered;
    pthread_mutex_unlock(&communicator->lock);
    collective->call.number = number;
    result = work_submit(work, &target);
    if (result != HCCL_SUCCESS) {
        /* Nothing has been queued: the next call takes the number, unless another thread has gone on. */
        pthread_mutex_lock(&communicator->lock);
        if (communicator->numbered == number)
            communicator->numbered--;
        pthread_mutex_unlock(&communicator->lock);
    }
    communicator_drop(communicator);
    return result;
}
