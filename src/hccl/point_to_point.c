/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Batches of messages. A message is numbered among those of its pair and direction, which is the tag of its
 * exchange. Those of one pair and direction, a lane, go one after the other. As an exchange has one tag, and
 * a batch must not care in which order its peers come, each lane but one has a thread of its own while the
 * batch runs: two for each other rank at most.
 */
#include "hccl/point_to_point.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hccl/collective.h"
#include "hccl/overlap.h"
#include "runtime/addresses/reach.h"
#include "runtime/streams/workers.h"

struct batch;

struct message {
    struct batch *batch;
    struct operand *operand;
    struct wire_call call;
    uint32_t peer;
    struct message *self; /* of a receive from the caller itself: what it receives */
    int64_t deadline;
    struct trouble trouble;
    bool is_done;
    struct message *next; /* of its lane */
    /* What the first of a lane has: that of another lane, and who carries this one. */
    struct message *other;
    bool has_thread;
    pthread_t thread;
};

struct batch {
    struct work work;
    uint32_t count;
    struct message message[]; /* the operands are behind */
};

static bool sends(const struct message *message)
{
    return message->call.kind == CALL_SEND;
}

static bool goes_upwards(const struct message *message)
{
    return sends(message) == (message->batch->work.communicator->rank < message->peer);
}

static uint64_t tag_of(const struct message *message)
{
    return TAG_POINT_TO_POINT | (goes_upwards(message) ? TAG_UPWARDS : 0) |
           message->call.number << TAG_PART_BITS;
}

static bool tell(struct message *message, HcclResult result, enum rule rule, const char *what)
{
    const struct communicator *communicator = message->batch->work.communicator;
    char call[WIRE_TEXT_BYTES];
    wire_describe(&message->call, call);
    message->trouble.result = result;
    message->trouble.rule = rule;
    snprintf(message->trouble.sentence, sizeof message->trouble.sentence,
             "%s %s rank %u, number %llu of the pair in %.60s, on rank %u of %u: %.200s", call,
             sends(message) ? "to" : "from", (unsigned)message->peer,
             (unsigned long long)message->call.number, communicator->name, (unsigned)communicator->rank,
             (unsigned)communicator->rank_count, what);
    return false;
}

/* Compares both sides' calls, then moves the data: short ones go with the call, and `apart` is where they are
 * kept until it is known that they are meant. */
static bool carry_by(struct message *message, const struct mesh_message *data, void *apart)
{
    const struct communicator *communicator = message->batch->work.communicator;
    struct mesh_fault fault = {.peer = -1};
    struct wire_call other = {.kind = CALL_NONE};
    struct mesh_message calls[] = {{.peer = message->peer, .receives = true, .head = &other},
                                   {.peer = message->peer, .head = &message->call}};
    if (apart != NULL) {
        calls[sends(message)].data = data->receives ? apart : data->data;
        calls[sends(message)].bytes = data->bytes;
    }
    HcclResult result =
        link_exchange(&communicator->link, tag_of(message), calls, 2, message->deadline, &fault);
    if (result == HCCL_E_TIMEOUT && other.kind == CALL_NONE)
        snprintf(fault.sentence, sizeof fault.sentence, "rank %u did not call %s for it in time",
                 (unsigned)message->peer, sends(message) ? "HcclRecv" : "HcclSend");
    if (result != HCCL_SUCCESS)
        return tell(message, result, RULE_WORK, fault.sentence);
    if (other.check != wire_seal(&other) || !wire_agrees(&message->call, &other)) {
        char what[WIRE_TEXT_BYTES + 64], text[WIRE_TEXT_BYTES];
        wire_describe(&other, text);
        snprintf(what, sizeof what, "the other side called %s; the same count and dtype are expected", text);
        return tell(message, HCCL_E_PARA, RULE_COLLECTIVE, what);
    }
    if (apart == NULL)
        result = link_exchange(&communicator->link, tag_of(message) + 1, data, 1, message->deadline, &fault);
    else if (data->receives && data->bytes > 0)
        memcpy(data->data, apart, data->bytes);
    return result == HCCL_SUCCESS || tell(message, result, RULE_WORK, fault.sentence);
}

static bool carry(struct message *message)
{
    const struct mesh_message data = {.data = memory_reach(message->operand->address),
                                      .bytes = message->operand->bytes,
                                      .peer = message->peer,
                                      .receives = !sends(message)};
    if (data.bytes > mesh_short_bytes(message->batch->work.communicator->rank_count))
        return carry_by(message, &data, NULL);
    void *apart = malloc(data.bytes + 1);
    if (apart == NULL)
        return tell(message, HCCL_E_MEMORY, RULE_WORK, "there is no memory for what it receives");
    bool is_done = carry_by(message, &data, apart);
    free(apart);
    return is_done;
}

/* What is behind a message that has failed is not carried: the communicator has failed. */
static void *carry_lane(void *context)
{
    struct message *message = (struct message *)context;
    do {
        message->is_done = carry(message);
        message = message->is_done ? message->next : NULL;
    } while (message != NULL);
    return NULL;
}

static void copy_own(const struct message *message)
{
    if (message->self != NULL && message->operand->bytes > 0)
        memmove(memory_reach(message->operand->address), memory_reach(message->self->operand->address),
                message->operand->bytes);
}

/* Sorts the messages to others into lanes, with room for two of each rank. The first messages of the lanes,
 * linked by `other`; NULL where there are none. */
static struct message *sort_into_lanes(struct batch *batch, struct message **last)
{
    const uint32_t rank = batch->work.communicator->rank;
    struct message *lanes = NULL;
    for (uint32_t i = 0; i < batch->count; i++) {
        struct message *message = &batch->message[i];
        struct message **before = &last[2 * message->peer + sends(message)];
        if (message->peer == rank) {
            copy_own(message);
            message->is_done = true;
        } else if (*before == NULL) {
            message->other = lanes;
            lanes = message;
        } else {
            (*before)->next = message;
        }
        *before = message;
    }
    return lanes;
}

static void run_lanes(struct message *lanes)
{
    for (struct message *lane = lanes->other; lane != NULL; lane = lane->other) {
        lane->has_thread = pthread_create(&lane->thread, NULL, carry_lane, lane) == 0;
        if (!lane->has_thread)
            tell(lane, HCCL_E_SYSCALL, RULE_WORK, "the system refuses a thread for some of the batch");
    }
    carry_lane(lanes);
    for (struct message *lane = lanes->other; lane != NULL; lane = lane->other)
        if (lane->has_thread)
            pthread_join(lane->thread, NULL);
}

static bool run_batch(struct work *work, struct trouble *trouble)
{
    struct batch *batch = (struct batch *)(void *)work;
    bool disagrees;
    if (fault_is_awaited(1 << FAULT_AT_MESSAGE | FAULT_DEVICE_LOST) &&
        work_is_struck(work, FAULT_AT_MESSAGE, trouble, &disagrees))
        return false;
    const int64_t deadline = work_deadline(work->communicator);
    struct message **last =
        (struct message **)calloc(work->communicator->rank_count, 2 * sizeof(struct message *));
    if (last == NULL) {
        tell(&batch->message[0], HCCL_E_MEMORY, RULE_WORK, "there is no memory for the messages");
        *trouble = batch->message[0].trouble;
        return false;
    }
    for (uint32_t i = 0; i < batch->count; i++)
        batch->message[i].deadline = deadline;
    struct message *lanes = sort_into_lanes(batch, last);
    free(last);
    workers_enter_program();
    if (lanes != NULL)
        run_lanes(lanes);
    workers_leave_program();
    /* The first that is not done has failed itself: those behind it in its lane come later. */
    for (uint32_t i = 0; i < batch->count; i++)
        if (!batch->message[i].is_done) {
            *trouble = batch->message[i].trouble;
            return false;
        }
    return true;
}

/* All that is sent may go before anything comes. */
static void describe(const struct work *work, struct access_visitor *visitor)
{
    const struct batch *batch = (const struct batch *)(const void *)work;
    const uint32_t rank = work->communicator->rank;
    for (int receives = 0; receives <= 1; receives++)
        for (uint32_t i = 0; i < batch->count; i++) {
            const struct message *message = &batch->message[i];
            const struct operand *operand = message->operand;
            if (sends(message) == (receives != 0))
                continue;
            const struct exchange_part part = {.group = work->communicator->identity,
                                               .number = message->call.number | TAG_POINT_TO_POINT |
                                                         (goes_upwards(message) ? TAG_UPWARDS : 0),
                                               .rank = rank,
                                               .peer = message->peer,
                                               .from = receives ? message->peer : rank,
                                               .to = receives ? rank : message->peer,
                                               .count = work->communicator->rank_count,
                                               .takes = receives != 0};
            if (receives)
                access_visit_exchange(visitor, &part);
            if (operand->bytes > 0)
                access_visit_bytes(visitor, operand->parameter, operand->mode, operand->address,
                                   operand->bytes);
            if (!receives)
                access_visit_exchange(visitor, &part);
        }
}

HcclResult batch_check_item(const char *api, const struct communicator *communicator,
                            const HcclSendRecvItem *item)
{
    const uint32_t bytes = data_type_bytes((uint32_t)item->dataType);
    if (item->sendRecvType != HCCL_SEND && item->sendRecvType != HCCL_RECV)
        return (HcclResult)fail(HCCL_E_PARA,
                                "%s: sendRecvType is %d; HCCL_SEND (0) or HCCL_RECV (1) is expected", api,
                                (int)item->sendRecvType);
    if (bytes == 0)
        return (HcclResult)fail(HCCL_E_PARA, "%s: dataType is %d; 0 to 12 or 14 to 17 are expected", api,
                                (int)item->dataType);
    if (item->remoteRank >= communicator->rank_count)
        return (HcclResult)fail(HCCL_E_PARA, "%s: the other rank is %u; one below %u is expected", api,
                                (unsigned)item->remoteRank, (unsigned)communicator->rank_count);
    if (item->count > INT64_MAX / bytes)
        return (HcclResult)fail(HCCL_E_PARA, "%s: count is %llu; at most %llu elements are expected", api,
                                (unsigned long long)item->count, (unsigned long long)(INT64_MAX / bytes));
    return HCCL_SUCCESS;
}

/* The k-th message to the caller itself is for its k-th receive from there. */
static HcclResult pair_own(struct batch *batch)
{
    const uint32_t rank = batch->work.communicator->rank;
    uint32_t from = 0;
    for (uint32_t to = 0;; to++, from++) {
        while (to < batch->count && (batch->message[to].peer != rank || sends(&batch->message[to])))
            to++;
        while (from < batch->count && (batch->message[from].peer != rank || !sends(&batch->message[from])))
            from++;
        if (to >= batch->count && from >= batch->count)
            return HCCL_SUCCESS;
        if (to >= batch->count || from >= batch->count)
            return (HcclResult)fail(HCCL_E_PARA,
                                    "%s: a message of rank %u to itself has no other side; both in one batch "
                                    "or group are expected",
                                    batch->work.api, (unsigned)rank);
        if (batch->message[to].call.count != batch->message[from].call.count ||
            batch->message[to].call.data_type != batch->message[from].call.data_type)
            return (HcclResult)report_misuse(
                RULE_COLLECTIVE, HCCL_E_PARA,
                "%s: rank %u sends itself %llu %s and receives %llu %s; the same is expected",
                batch->work.api, (unsigned)rank, (unsigned long long)batch->message[from].call.count,
                data_type_name(batch->message[from].call.data_type),
                (unsigned long long)batch->message[to].call.count,
                data_type_name(batch->message[to].call.data_type));
        batch->message[to].self = &batch->message[from];
    }
}

/* What is received goes to memory that no other message of the batch has: they move in any order. */
static HcclResult check_overlaps(const struct batch *batch)
{
    struct extent few[16], *extents = few;
    uint32_t first, second;
    if (batch->count == 1)
        return HCCL_SUCCESS;
    if (batch->count > sizeof few / sizeof few[0])
        extents = (struct extent *)malloc(batch->count * sizeof *extents);
    if (extents == NULL)
        return (HcclResult)fail(HCCL_E_MEMORY, "%s: there is no memory for %u messages", batch->work.api,
                                (unsigned)batch->count);
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct operand *operand = &batch->work.operand[i];
        extents[i] =
            (struct extent){(uintptr_t)operand->address, operand->bytes, i, operand->mode == ACCESS_WRITTEN};
    }
    const bool is_found = overlap_find(extents, batch->count, &first, &second);
    if (extents != few)
        free(extents);
    if (!is_found)
        return HCCL_SUCCESS;
    const struct operand *a = &batch->work.operand[first], *b = &batch->work.operand[second];
    return (HcclResult)fail(HCCL_E_PARA,
                            "%s: %s of message %u, %llu bytes at %p, and %s of message %u, %llu at %p, "
                            "overlap; a recvBuf apart from all else of a batch is expected",
                            batch->work.api, a->parameter, (unsigned)first, (unsigned long long)a->bytes,
                            a->address, b->parameter, (unsigned)second, (unsigned long long)b->bytes,
                            b->address);
}

static void enter_item(struct batch *batch, uint32_t index, const HcclSendRecvItem *item)
{
    const bool is_send = item->sendRecvType == HCCL_SEND;
    struct message *message = &batch->message[index];
    struct operand *operand = &batch->work.operand[index];
    *operand = (struct operand){.parameter = is_send ? "sendBuf" : "recvBuf",
                                .address = item->buf,
                                .bytes = item->count * data_type_bytes((uint32_t)item->dataType),
                                .mode = is_send ? ACCESS_READ : ACCESS_WRITTEN};
    message->batch = batch;
    message->operand = operand;
    message->peer = item->remoteRank;
    message->call = (struct wire_call){.kind = is_send ? CALL_SEND : CALL_RECEIVE,
                                       .data_type = (uint32_t)item->dataType,
                                       .count = item->count,
                                       .sends = is_send ? operand->bytes : 0,
                                       .expects = is_send ? 0 : operand->bytes};
}

/* The counter that numbers the message. The communicator's lock is held. */
static uint64_t *counter_of(struct communicator *communicator, const struct message *message)
{
    struct peer *peer = &communicator->peer[message->peer];
    return sends(message) ? &peer->sent : &peer->received;
}

static HcclResult submit(struct batch *batch, aclrtStream stream, bool *is_numbered)
{
    struct communicator *communicator = batch->work.communicator;
    struct stream_target target;
    HcclResult result = check_overlaps(batch);
    if (result == HCCL_SUCCESS)
        result = pair_own(batch);
    if (result == HCCL_SUCCESS)
        result = work_find_stream(batch->work.api, communicator, stream, &target);
    if (result != HCCL_SUCCESS) {
        free(batch);
        return result;
    }
    pthread_mutex_lock(&communicator->lock);
    for (uint32_t i = 0; i < batch->count; i++) {
        struct message *message = &batch->message[i];
        message->call.number = ++*counter_of(communicator, message);
        message->call.check = wire_seal(&message->call);
    }
    pthread_mutex_unlock(&communicator->lock);
    *is_numbered = true;
    return work_submit(&batch->work, &target);
}

/* Nothing has been queued: the next calls take the numbers. */
static void take_numbers_back(struct communicator *communicator, const HcclSendRecvItem *item,
                              uint32_t item_count)
{
    pthread_mutex_lock(&communicator->lock);
    for (uint32_t i = 0; i < item_count; i++) {
        struct peer *peer = &communicator->peer[item[i].remoteRank];
        --*(item[i].sendRecvType == HCCL_SEND ? &peer->sent : &peer->received);
    }
    pthread_mutex_unlock(&communicator->lock);
}

HcclResult batch_submit(const char *api, struct communicator *communicator, const HcclSendRecvItem *item,
                        uint32_t item_count, aclrtStream stream)
{
    const size_t head = sizeof(struct batch) + item_count * sizeof(struct message);
    struct batch *batch = (struct batch *)calloc(1, head + item_count * sizeof(struct operand));
    HcclResult result = HCCL_SUCCESS;
    if (batch == NULL) {
        result = (HcclResult)fail(HCCL_E_MEMORY, "%s: there is no memory for %u messages", api,
                                  (unsigned)item_count);
    } else {
        batch->work = (struct work){.api = api,
                                    .communicator = communicator,
                                    .run = run_batch,
                                    .describe = describe,
                                    .operand = (struct operand *)(void *)((unsigned char *)batch + head),
                                    .operand_count = item_count};
        batch->count = item_count;
        for (uint32_t i = 0; i < item_count && result == HCCL_SUCCESS; i++) {
            result = batch_check_item(api, communicator, &item[i]);
            if (result != HCCL_SUCCESS)
                break;
            enter_item(batch, i, &item[i]);
            result = work_check_operand(&batch->work, i, data_type_bytes((uint32_t)item[i].dataType),
                                        communicator->device);
        }
        bool is_numbered = false;
        if (result == HCCL_SUCCESS)
            result = submit(batch, stream, &is_numbered);
        else
            free(batch);
        if (result != HCCL_SUCCESS && is_numbered)
            take_numbers_back(communicator, item, item_count);
    }
    communicator_drop(communicator);
    return result;
}
