/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A rank at the rendezvous: connects, greets, and goes through the rounds, each with the deadline of the
 * whole.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "hccl/rendezvous.h"
#include "hccl/pair_socket.h"

/* Tries again where the place has closed the connection before it read the greeting, as it does when
 * strangers crowd it: after 20 ms, 40 ms, ..., four seconds in all; until the deadline where the place may
 * not be open yet. */
enum { ATTEMPTS = 20, PAUSE_MS = 20 };

/* How much longer a rank listens than it may take: the place, whose time is up too, says who is missing. */
static const int64_t hearing_ns = 500000000;

/* Returns what poll does, but waits on after signals. */
static int wait_for(int socket, short events, int64_t deadline)
{
    struct pollfd entry = {.fd = socket, .events = events};
    int ready;
    do
        ready = poll(&entry, 1, poll_timeout(deadline));
    while (ready < 0 && errno == EINTR);
    return ready;
}

static HcclResult late(struct mesh_fault *fault, const char *doing)
{
    return mesh_refuse(fault, HCCL_E_TIMEOUT, -1,
                       "%s did not end within HCCL_CONNECT_TIMEOUT, which is 120 seconds unless it is set",
                       doing);
}

/* Leaves the socket in the visit. A place that is not there any more refuses at once. */
static HcclResult connect_to(struct meeting_visit *visit, const struct address *address, int64_t deadline,
                             struct mesh_fault *fault)
{
    struct sockaddr_storage there, here;
    socklen_t length = address_to_socket(address, &there), here_length = sizeof here;
    char text[ADDRESS_TEXT];
    int error = 0;
    socklen_t error_length = sizeof error;
    address_text(address, text);
    visit->socket = socket(there.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (visit->socket < 0)
        return mesh_refuse(fault, HCCL_E_SYSCALL, -1, "there is no socket for the root's place: %s",
                           strerror(errno));
    if (connect(visit->socket, (struct sockaddr *)&there, length) != 0) {
        if (errno != EINPROGRESS)
            error = errno;
        else if (wait_for(visit->socket, POLLOUT, deadline) <= 0)
            error = ETIMEDOUT;
        else
            getsockopt(visit->socket, SOL_SOCKET, SO_ERROR, &error, &error_length);
    }
    if (error == 0 && (getsockname(visit->socket, (struct sockaddr *)&here, &here_length) != 0 ||
                       !address_from_socket(&visit->here, &here)))
        error = errno;
    if (error != 0)
        return mesh_refuse(
            fault, error == ETIMEDOUT ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT, -1,
            "the root's place at %s cannot be reached: %s; a root info serves one communicator, "
            "for HCCL_CONNECT_TIMEOUT at most",
            text, strerror(error));
    visit->here.port = 0;
    socket_watch_peer(visit->socket);
    return HCCL_SUCCESS;
}

/* How far it came before the place closed the connection, the deadline passed, or all was moved. */
static size_t send_all(int socket, const void *data, size_t bytes, int64_t deadline)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t sent = send(socket, (const char *)data + done, bytes - done, MSG_NOSIGNAL);
        if (sent > 0)
            done += (size_t)sent;
        else if ((errno != EAGAIN && errno != EINTR) ||
                 (errno == EAGAIN && wait_for(socket, POLLOUT, deadline) <= 0))
            break;
    }
    return done;
}

static size_t receive_all(int socket, void *data, size_t bytes, int64_t deadline)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t received = recv(socket, (char *)data + done, bytes - done, 0);
        if (received > 0)
            done += (size_t)received;
        else if (received == 0 || (errno != EAGAIN && errno != EINTR) ||
                 (errno == EAGAIN && wait_for(socket, POLLIN, deadline) <= 0))
            break;
    }
    return done;
}

/* *is_heard is false where the place closed the connection before its answer. */
static HcclResult read_answer(struct meeting_visit *visit, struct address *theirs, size_t expected,
                              int64_t deadline, bool *is_heard, struct mesh_fault *fault)
{
    uint32_t head[ANSWER_HEAD_BYTES / sizeof(uint32_t)];
    deadline += hearing_ns;
    size_t heard = receive_all(visit->socket, head, sizeof head, deadline);
    *is_heard = heard != 0;
    if (heard != sizeof head && milliseconds_until(deadline) == 0)
        return late(fault, "the meeting of the ranks");
    if (heard != sizeof head)
        return mesh_refuse(fault, HCCL_E_TCP_CONNECT, -1, "the root's place has closed the connection");
    uint32_t code = ntohl(head[0]), about = ntohl(head[1]), bytes = ntohl(head[2]);
    if (code == HCCL_SUCCESS) {
        if (bytes != expected || receive_all(visit->socket, theirs, bytes, deadline) != bytes)
            return mesh_refuse(fault, HCCL_E_TCP_CONNECT, -1, "the answer of the root's place breaks off");
        return HCCL_SUCCESS;
    }
    char sentence[sizeof fault->sentence] = "";
    if (bytes >= sizeof sentence || receive_all(visit->socket, sentence, bytes, deadline) != bytes)
        return mesh_refuse(fault, HCCL_E_TCP_CONNECT, -1, "the answer of the root's place breaks off");
    return mesh_refuse(fault, code < HCCL_E_RESERVED ? (HcclResult)code : HCCL_E_REMOTE,
                       about < RANKS_MAX ? (int64_t)about : -1, "%s", sentence);
}

static HcclResult not_opened(const struct meeting_place *place, struct mesh_fault *fault)
{
    char text[ADDRESS_TEXT];
    return mesh_refuse(fault, HCCL_E_TIMEOUT, 0,
                       "rank 0 did not open the ranks' place at %s within HCCL_CONNECT_TIMEOUT; the same "
                       "rank table and ports are expected everywhere",
                       address_text(&place->address, text));
}

HcclResult meeting_enter(struct meeting_visit *visit, const struct meeting_place *place, uint32_t rank_count,
                         uint32_t rank, int64_t deadline, struct mesh_fault *fault)
{
    uint8_t greeting[GREETING_BYTES];
    uint32_t numbers[2] = {htonl(rank_count), htonl(rank)};
    memcpy(greeting, place->secret, SECRET_BYTES);
    memcpy(greeting + SECRET_BYTES, numbers, sizeof numbers);
    visit->rank_count = rank_count;
    for (int attempt = 1;; attempt++) {
        bool is_heard = !place->opens_later;
        HcclResult result = connect_to(visit, &place->address, deadline, fault);
        if (result == HCCL_SUCCESS) {
            send_all(visit->socket, greeting, sizeof greeting, deadline);
            result = read_answer(visit, NULL, 0, deadline, &is_heard, fault);
        }
        if (result == HCCL_SUCCESS)
            return HCCL_SUCCESS;
        meeting_leave(visit);
        if (is_heard || result != HCCL_E_TCP_CONNECT)
            return result;
        if (place->opens_later) {
            if (monotonic_ns() >= deadline)
                return not_opened(place, fault);
        } else if (attempt == ATTEMPTS)
            return mesh_refuse(
                fault, HCCL_E_TCP_CONNECT, -1,
                "the root's place closes the connection without an answer: the root info is "
                "of another communicator, or HCCL_WHITELIST_FILE of the root does not name this host");
        poll(NULL, 0, (attempt < ATTEMPTS ? attempt : ATTEMPTS) * PAUSE_MS);
    }
}

HcclResult meeting_take_round(struct meeting_visit *visit, enum meeting_round round,
                              const struct address *mine, struct address *theirs, int64_t deadline,
                              struct mesh_fault *fault)
{
    uint8_t number = (uint8_t)round;
    size_t bytes = round_bytes(round, visit->rank_count);
    bool is_heard;
    /* Where the place has closed the connection, its last answer says why. */
    if (send_all(visit->socket, &number, 1, deadline) == 1)
        send_all(visit->socket, mine, bytes, deadline);
    return read_answer(visit, theirs, bytes, deadline, &is_heard, fault);
}

void meeting_leave(struct meeting_visit *visit)
{
    if (visit->socket >= 0)
        close(visit->socket);
    visit->socket = -1;
}
