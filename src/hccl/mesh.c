/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Exchanges over the pairs that Gloo connects.
 *
 * Gloo ends the process when a message is longer than the buffer that waits for it. So ranks agree on lengths
 * before, by messages with a head: those go through buffers of one size for all, which say how long they are.
 *
 * Where the receiver may read the sender's memory, the sender tells the address alone, and keeps the data
 * until the receiver has answered that it has them.
 *
 * A mesh fails once: the first failure is kept, ends all exchanges that are under way, and is what all later
 * ones return. The last exchange that leaves a failed mesh closes its connections, so that the peers are not
 * kept waiting either.
 */
#include "hccl/mesh.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/exchange.h"
#include "hccl/mesh_abort.h"
#include "hccl/mesh_watch.h"
#include "hccl/pair_socket.h"
#include "hccl/peer_memory.h"
#include "base/cancellation.h"

/* In front of a message with a head: the length of its data. In place of one that is read: its address; the
 * answer to that is a byte. */
enum { LENGTH_BYTES = sizeof(uint64_t), DATA_AT = LENGTH_BYTES + MESH_HEAD_BYTES };
enum { ADDRESS_BYTES = sizeof(uint64_t), ANSWER_BYTES = 1 };

/* Shorter ones cost less to send than to ask for: measured with 2 and 4 ranks on 2 processors. */
enum { READ_BYTES = 256 << 10 };

/* After a failure the exchange goes on for so long, that peers which are well get what they are owed, and
 * find the one that is not themselves: longer than the watch takes. */
static const int64_t grace_ns = 500000000;

/* Keeps the first failure and ends all exchanges but `own`, which may be NULL. */
static void fail_mesh(struct mesh *mesh, const struct exchange *own, HcclResult code,
                      const struct mesh_fault *fault)
{
    pthread_mutex_lock(&mesh->lock);
    if (mesh->failure == HCCL_SUCCESS) {
        mesh->failure = code;
        mesh->fault = *fault;
    }
    for (const struct exchange *other = mesh->exchanges; other != NULL; other = other->next)
        if (other != own)
            mesh_abort_exchange(other, ALL_PEERS);
    pthread_mutex_unlock(&mesh->lock);
}

/* The first failure of the mesh; HCCL_SUCCESS when there is none. */
static HcclResult mesh_failure(struct mesh *mesh, struct mesh_fault *fault)
{
    pthread_mutex_lock(&mesh->lock);
    HcclResult failure = mesh->failure;
    if (failure != HCCL_SUCCESS)
        *fault = mesh->fault;
    pthread_mutex_unlock(&mesh->lock);
    return failure;
}

/* A peer's part of the exchange has failed: the mesh has, and what is left of the exchange has little time.
 */
static void fail_transfer(struct exchange *exchange, size_t index, enum gloo_status status,
                          const char *reason)
{
    const struct mesh_message *message = &exchange->messages[index];
    const char *what = message->receives ? "a message from" : "a message to";
    struct mesh_fault fault;
    HcclResult code;
    if (status == GLOO_ABORTED) {
        pthread_mutex_lock(&exchange->mesh->lock);
        bool has_gone = exchange->mesh->has_gone[message->peer];
        pthread_mutex_unlock(&exchange->mesh->lock);
        if (!has_gone)
            return; /* the mesh has failed already */
        status = GLOO_LOST;
        reason = "the connection was closed";
    }
    if (status == GLOO_TIMED_OUT && message->head != NULL && message->receives)
        code =
            mesh_refuse(&fault, HCCL_E_TIMEOUT, message->peer, "rank %u did not come in time", message->peer);
    else if (status == GLOO_TIMED_OUT)
        code = mesh_refuse(&fault, HCCL_E_TIMEOUT, message->peer,
                           "%s rank %u, of %zu bytes, was not through when the time for it was up", what,
                           message->peer, message->bytes);
    else if (status == GLOO_LOST)
        code = mesh_refuse(&fault, HCCL_E_REMOTE, message->peer,
                           "rank %u has gone, or given up, with %s it under way: %s", message->peer, what,
                           reason);
    else
        code = mesh_refuse(&fault, HCCL_E_TCP_TRANSFER, message->peer, "%s rank %u, of %zu bytes: %s", what,
                           message->peer, message->bytes, reason);
    exchange->has_failed = true;
    fail_mesh(exchange->mesh, exchange, code, &fault);
    int64_t last = monotonic_ns() + grace_ns;
    if (last < exchange->deadline)
        exchange->deadline = last;
}

static bool moves(const struct mesh_message *message)
{
    return message->head != NULL || message->bytes != 0;
}

/* Whether the receiver reads it from the sender's memory. */
static bool is_read(const struct mesh *mesh, const struct mesh_message *message)
{
    return message->head == NULL && message->bytes >= READ_BYTES &&
           (message->receives ? peer_memory_is_read : peer_memory_is_shown)(mesh, message->peer);
}

/* What is set aside for a message: a receiver is ready for the longest. */
static size_t staged_bytes(const struct mesh *mesh, const struct mesh_message *message)
{
    if (is_read(mesh, message))
        return ADDRESS_BYTES + ANSWER_BYTES;
    if (message->head == NULL)
        return 0;
    return DATA_AT + (message->receives ? mesh_short_bytes(mesh->rank_count) : message->bytes);
}

/* Starts a message, or the answer to one, and notes it, where mesh_cancel finds it. */
static bool post(struct exchange *exchange, size_t index, struct gloo_message **noted, bool receives,
                 void *data, size_t bytes)
{
    struct mesh *mesh = exchange->mesh;
    struct gloo_message *posted = NULL;
    char reason[GLOO_REASON_BYTES];
    struct pipe_signal signal;
    pipe_signal_hold(&signal); /* Gloo writes from here when the connection takes it */
    enum gloo_status status = mesh->gloo->post(mesh->pairs, exchange->messages[index].peer, exchange->tag,
                                               data, bytes, receives, &posted, reason);
    pipe_signal_restore(&signal);
    if (status != GLOO_DONE) {
        fail_transfer(exchange, index, status, reason);
        return false;
    }
    pthread_mutex_lock(&mesh->lock);
    *noted = posted;
    if (mesh->is_cancelled || (mesh->failure != HCCL_SUCCESS && !exchange->has_failed))
        mesh->gloo->abort(posted);
    pthread_mutex_unlock(&mesh->lock);
    return true;
}

static void start(struct exchange *exchange, size_t index)
{
    const struct mesh *mesh = exchange->mesh;
    const struct mesh_message *message = &exchange->messages[index];
    struct transfer *transfer = &exchange->transfers[index];
    const uint64_t number = is_read(mesh, message) ? (uintptr_t)message->data : message->bytes;
    if (!message->receives && (message->head != NULL || is_read(mesh, message)))
        memcpy(transfer->staged, &number, sizeof number);
    if (is_read(mesh, message)) {
        if (post(exchange, index, &transfer->message, message->receives, transfer->staged, ADDRESS_BYTES) &&
            !message->receives)
            post(exchange, index, &transfer->answer, true, transfer->staged + ADDRESS_BYTES, ANSWER_BYTES);
        return;
    }
    if (message->head == NULL) {
        post(exchange, index, &transfer->message, message->receives, message->data, message->bytes);
        return;
    }
    if (!message->receives) {
        memcpy(transfer->staged + LENGTH_BYTES, message->head, MESH_HEAD_BYTES);
        if (message->bytes != 0)
            memcpy(transfer->staged + DATA_AT, message->data, message->bytes);
    }
    post(exchange, index, &transfer->message, message->receives, transfer->staged,
         staged_bytes(mesh, message));
}

/* Whether a wait was ended for no reason but that the peer has gone. */
static bool was_ended_by_watch(const struct exchange *exchange, uint32_t peer)
{
    struct mesh *mesh = exchange->mesh;
    pthread_mutex_lock(&mesh->lock);
    bool is_well = !mesh->is_cancelled && (mesh->failure == HCCL_SUCCESS || exchange->has_failed);
    bool is_by_watch = is_well && mesh->has_gone[peer];
    pthread_mutex_unlock(&mesh->lock);
    return is_by_watch;
}

/* True when it is through. One that was not started never is. Gloo tells that a wait was ended even where the
 * message is through. So what came before the peer went is found by another wait, and what did not come by
 * the watch, which ends that one too; one look of it may fall between two waits. */
static bool wait_for(struct exchange *exchange, size_t index, struct gloo_message *message)
{
    enum { LOOKS = 3 };
    char reason[GLOO_REASON_BYTES];
    if (message == NULL)
        return false;
    enum gloo_status status = GLOO_ABORTED;
    for (int look = 0; look < LOOKS && status == GLOO_ABORTED; look++) {
        if (look > 0 && !was_ended_by_watch(exchange, exchange->messages[index].peer))
            break;
        int64_t left_ms =
            exchange->deadline == INT64_MAX ? INT64_MAX : milliseconds_until(exchange->deadline);
        status = exchange->mesh->gloo->wait(message, left_ms, reason);
    }
    if (status != GLOO_DONE)
        fail_transfer(exchange, index, status, reason);
    return status == GLOO_DONE;
}

/* Takes a message that is received to where it belongs. */
static void receive(struct exchange *exchange, size_t index)
{
    const struct mesh_message *message = &exchange->messages[index];
    struct transfer *transfer = &exchange->transfers[index];
    uint64_t number;
    if (!wait_for(exchange, index, transfer->message))
        return;
    if (is_read(exchange->mesh, message)) {
        memcpy(&number, transfer->staged, sizeof number);
        if (peer_memory_read(exchange->mesh, message->peer, message->data, number, message->bytes))
            post(exchange, index, &transfer->answer, false, transfer->staged + ADDRESS_BYTES, ANSWER_BYTES);
        else
            fail_transfer(exchange, index, GLOO_LOST, "its memory cannot be read any more");
    } else if (message->head != NULL) {
        memcpy(&number, transfer->staged, sizeof number);
        memcpy(message->head, transfer->staged + LENGTH_BYTES, MESH_HEAD_BYTES);
        if (number > message->bytes)
            number = message->bytes;
        if (number != 0)
            memcpy(message->data, transfer->staged + DATA_AT, number);
    }
}

/* Puts the exchange among those under way, unless the mesh has failed. */
static HcclResult enter(struct exchange *exchange, struct mesh_fault *fault)
{
    struct mesh *mesh = exchange->mesh;
    pthread_mutex_lock(&mesh->lock);
    HcclResult failure = mesh->failure;
    if (failure == HCCL_SUCCESS) {
        exchange->next = mesh->exchanges;
        mesh->exchanges = exchange;
    } else {
        *fault = mesh->fault;
    }
    pthread_mutex_unlock(&mesh->lock);
    return failure;
}

static void leave(struct exchange *exchange)
{
    struct mesh *mesh = exchange->mesh;
    pthread_mutex_lock(&mesh->lock);
    struct exchange **place = &mesh->exchanges;
    while (*place != exchange)
        place = &(*place)->next;
    *place = exchange->next;
    bool is_last = mesh->exchanges == NULL && mesh->failure != HCCL_SUCCESS;
    pthread_mutex_unlock(&mesh->lock);
    for (size_t i = 0; i < exchange->count; i++) {
        if (exchange->transfers[i].message != NULL)
            mesh->gloo->discard(exchange->transfers[i].message);
        if (exchange->transfers[i].answer != NULL)
            mesh->gloo->discard(exchange->transfers[i].answer);
    }
    if (is_last)
        mesh->gloo->shut(mesh->pairs);
}

static HcclResult check_messages(const struct mesh *mesh, uint64_t tag, const struct mesh_message *messages,
                                 size_t count, struct mesh_fault *fault)
{
    if (tag >= UINT64_MAX >> 1)
        return mesh_refuse(fault, HCCL_E_INTERNAL, -1, "the tag of an exchange is below 2^63 - 1");
    for (size_t i = 0; i < count; i++)
        if (messages[i].peer >= mesh->rank_count || messages[i].peer == mesh->rank)
            return mesh_refuse(fault, HCCL_E_INTERNAL, messages[i].peer,
                               "rank %u of %u exchanges nothing with rank %u", mesh->rank, mesh->rank_count,
                               messages[i].peer);
        else if (messages[i].head != NULL && messages[i].bytes > mesh_short_bytes(mesh->rank_count))
            return mesh_refuse(fault, HCCL_E_INTERNAL, messages[i].peer,
                               "a message with a head has %zu bytes; at most %zu are expected",
                               messages[i].bytes, mesh_short_bytes(mesh->rank_count));
    return HCCL_SUCCESS;
}

static void carry(struct exchange *exchange)
{
    const struct mesh_message *messages = exchange->messages;
    for (int receives = 1; receives >= 0; receives--)
        for (size_t i = 0; i < exchange->count; i++)
            if (messages[i].receives == (receives != 0) && moves(&messages[i]))
                start(exchange, i);
    for (size_t i = 0; i < exchange->count; i++)
        if (messages[i].receives)
            receive(exchange, i);
    for (size_t i = 0; i < exchange->count; i++)
        if (!messages[i].receives)
            wait_for(exchange, i, exchange->transfers[i].message);
    for (size_t i = 0; i < exchange->count; i++)
        wait_for(exchange, i, exchange->transfers[i].answer);
}

HcclResult mesh_exchange(struct mesh *mesh, uint64_t tag, const struct mesh_message *messages,
                         size_t message_count, int64_t deadline, struct mesh_fault *fault)
{
    struct exchange exchange = {
        .mesh = mesh, .messages = messages, .count = message_count, .tag = tag, .deadline = deadline};
    size_t staged = 0, moving = 0;
    HcclResult result = check_messages(mesh, tag, messages, message_count, fault);
    if (result != HCCL_SUCCESS)
        return result;
    for (size_t i = 0; i < message_count; i++) {
        moving += moves(&messages[i]);
        staged += staged_bytes(mesh, &messages[i]);
    }
    if (moving == 0)
        return mesh_failure(mesh, fault);
    exchange.transfers = (struct transfer *)calloc(message_count, sizeof *exchange.transfers);
    unsigned char *bytes = (unsigned char *)malloc(staged + 1), *at = bytes;
    if (exchange.transfers == NULL || bytes == NULL) {
        result = mesh_refuse(fault, HCCL_E_MEMORY, -1, "there is no memory for %zu messages", message_count);
    } else {
        for (size_t i = 0; i < message_count; i++) {
            exchange.transfers[i].staged = at;
            at += staged_bytes(mesh, &messages[i]);
        }
        int cancellation = cancellation_hold();
        result = enter(&exchange, fault);
        if (result == HCCL_SUCCESS) {
            carry(&exchange);
            result = mesh_failure(mesh, fault);
            leave(&exchange);
        }
        cancellation_allow(cancellation);
    }
    free(exchange.transfers);
    free(bytes);
    return result;
}

void mesh_cancel(struct mesh *mesh)
{
    struct mesh_fault fault;
    HcclResult code = mesh_refuse(&fault, HCCL_E_SUSPENDING, -1, "the communicator is being destroyed");
    pthread_mutex_lock(&mesh->lock);
    mesh->is_cancelled = true;
    pthread_mutex_unlock(&mesh->lock);
    fail_mesh(mesh, NULL, code, &fault);
}

uint64_t mesh_identity(const struct mesh *mesh)
{
    return mesh->identity;
}

void mesh_close(struct mesh *mesh)
{
    if (mesh == NULL)
        return;
    mesh_watch_end(mesh);
    watch_rank_leaves(mesh->identity, mesh->rank);
    if (mesh->pairs != NULL)
        mesh->gloo->close(mesh->pairs);
    peer_memory_end(mesh);
    pthread_mutex_destroy(&mesh->lock);
    free(mesh);
}
