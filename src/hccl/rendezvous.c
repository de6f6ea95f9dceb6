/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The place of a rendezvous: one thread that polls a listening socket and its guests. Whoever connects is a
 * stranger until it has sent the secret, and may do nothing but that: 24 bytes, within five seconds, and the
 * oldest stranger has to make room for a new one. How much is read and kept of a rank follows from the number
 * of ranks, never from a length that somebody sends. The socket is closed when all have come.
 */
#include "hccl/rendezvous.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "hccl/pair_socket.h"
#include "hccl/whitelist.h"
#include "base/detached_thread.h"

enum { STRANGERS_MAX = 64, STRANGER_SECONDS = 5, FAREWELL_SECONDS = 1 };
static const int64_t second_ns = 1000000000;

struct guest {
    int socket; /* -1 when it has left; it is taken off the list then */
    bool is_rank;
    bool has_sent; /* what the round asks for */
    uint32_t rank;
    int64_t since;
    size_t received;
    uint8_t *in; /* of strangers the greeting, of ranks what they send in a round */
    size_t out_bytes, out_done;
    uint8_t *out; /* the answer that is being sent; NULL when there is none */
};

struct meeting {
    struct meeting *next; /* in the list of all */
    struct meeting_place place;
    int listening; /* -1 when all have come */
    int ending;    /* an eventfd: meeting_end was called */
    int64_t timeout_ns;
    int64_t deadline;
    struct whitelist whitelist;
    uint32_t rank_count; /* 0 until the first has said it */
    uint32_t come;       /* ranks that are here */
    uint32_t sent;       /* ranks that have sent what the round asks for */
    unsigned round;      /* ROUNDS when all is done */
    bool has_failed;
    bool lacks_files; /* somebody could not be let in */
    size_t guest_count;
    struct guest *guests;
    struct pollfd *polled; /* one for each guest, and two */
};

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t one_has_ended = PTHREAD_COND_INITIALIZER;
static struct meeting *all; /* those of this process whose threads run; under all_lock */

/* Takes the same time whatever the bytes are. */
static bool is_secret(const struct meeting *meeting, const uint8_t *bytes)
{
    uint8_t differs = 0;
    for (size_t i = 0; i < SECRET_BYTES; i++)
        differs |= (uint8_t)(bytes[i] ^ meeting->place.secret[i]);
    return differs == 0;
}

static void see_off(struct guest *guest)
{
    close(guest->socket);
    guest->socket = -1;
    free(guest->in);
    free(guest->out);
    guest->in = NULL;
    guest->out = NULL;
}

static void meeting_free(struct meeting *meeting)
{
    for (size_t i = 0; i < meeting->guest_count; i++)
        if (meeting->guests[i].socket >= 0)
            see_off(&meeting->guests[i]);
    if (meeting->listening >= 0)
        close(meeting->listening);
    if (meeting->ending >= 0)
        close(meeting->ending);
    whitelist_release(&meeting->whitelist);
    free(meeting->guests);
    free(meeting->polled);
    free(meeting);
}

/* Gives the guest an answer to be sent, whose body is returned for the caller to fill. NULL without memory:
 * the guest learns from the closed connection that something is wrong. */
static uint8_t *answer(struct guest *guest, HcclResult code, uint32_t about, size_t bytes)
{
    uint32_t head[3] = {htonl((uint32_t)code), htonl(about), htonl((uint32_t)bytes)};
    free(guest->out);
    guest->out = (uint8_t *)malloc(sizeof head + bytes);
    guest->out_done = 0;
    guest->out_bytes = sizeof head + bytes;
    if (guest->out == NULL) {
        see_off(guest);
        return NULL;
    }
    memcpy(guest->out, head, sizeof head);
    return guest->out + sizeof head;
}

/* Tells all that it has come to nothing. The first reason counts. */
static void fail_meeting(struct meeting *meeting, HcclResult code, uint32_t about, const char *sentence)
{
    if (meeting->has_failed || meeting->round == ROUNDS)
        return;
    meeting->has_failed = true;
    if (meeting->listening >= 0)
        close(meeting->listening); /* who comes now is refused at once */
    meeting->listening = -1;
    meeting->deadline = monotonic_ns() + FAREWELL_SECONDS * second_ns;
    for (size_t i = 0; i < meeting->guest_count; i++) {
        struct guest *guest = &meeting->guests[i];
        uint8_t *body =
            guest->socket >= 0 && guest->is_rank ? answer(guest, code, about, strlen(sentence)) : NULL;
        if (body != NULL)
            memcpy(body, sentence, strlen(sentence));
    }
}

static const struct guest *find_rank(const struct meeting *meeting, uint32_t rank)
{
    for (size_t i = 0; i < meeting->guest_count; i++)
        if (meeting->guests[i].socket >= 0 && meeting->guests[i].is_rank && meeting->guests[i].rank == rank)
            return &meeting->guests[i];
    return NULL;
}

static void fail_late(struct meeting *meeting)
{
    char sentence[320];
    uint32_t rank = 0, others;
    while (rank < meeting->rank_count) {
        const struct guest *guest = find_rank(meeting, rank);
        if (guest == NULL || !guest->has_sent)
            break;
        rank++;
    }
    others = meeting->rank_count - (meeting->round == ROUND_COME ? meeting->come : meeting->sent);
    snprintf(sentence, sizeof sentence,
             "rank %u%s of %u %s within HCCL_CONNECT_TIMEOUT, %lld seconds since the root info was made%s",
             rank, others > 1 ? " and others" : "", meeting->rank_count,
             meeting->round == ROUND_COME ? "did not come" : "came and did not connect to the others",
             (long long)(meeting->timeout_ns / second_ns),
             meeting->lacks_files ? "; the process that made it has too many open files to let all in" : "");
    fail_meeting(meeting, HCCL_E_TIMEOUT, rank, sentence);
}

/* A guest has closed its connection, or said what nobody asked for. */
static void lose(struct meeting *meeting, struct guest *guest)
{
    bool is_missed = guest->is_rank;
    uint32_t rank = guest->rank;
    char sentence[128];
    see_off(guest);
    if (!is_missed)
        return;
    snprintf(sentence, sizeof sentence, "rank %u of %u left while the ranks were connecting", rank,
             meeting->rank_count);
    fail_meeting(meeting, HCCL_E_REMOTE, rank, sentence);
}

/* All ranks have sent what the round asks for. */
static void complete_round(struct meeting *meeting)
{
    size_t bytes = round_bytes((enum meeting_round)meeting->round, meeting->rank_count);
    for (size_t i = 0; i < meeting->guest_count; i++) {
        struct guest *guest = &meeting->guests[i];
        if (guest->socket < 0)
            continue;
        if (!guest->is_rank) {
            see_off(guest);
            continue;
        }
        uint8_t *body = answer(guest, HCCL_SUCCESS, UINT32_MAX, bytes);
        for (size_t j = 0; j < meeting->guest_count && body != NULL && bytes != 0; j++) {
            const struct guest *from = &meeting->guests[j];
            if (from->socket >= 0 && from->is_rank)
                memcpy(body + from->rank * sizeof(struct address),
                       from->in + 1 + guest->rank * sizeof(struct address), sizeof(struct address));
        }
    }
    for (size_t i = 0; i < meeting->guest_count; i++) {
        meeting->guests[i].has_sent = false;
        meeting->guests[i].received = 0;
    }
    if (meeting->round == ROUND_COME) {
        close(meeting->listening);
        meeting->listening = -1;
    }
    meeting->sent = 0;
    meeting->round++;
}

static void count_sent(struct meeting *meeting, struct guest *guest)
{
    guest->has_sent = true;
    if (++meeting->sent == meeting->rank_count)
        complete_round(meeting);
}

/* The stranger has sent the secret. */
static void welcome(struct meeting *meeting, struct guest *guest)
{
    uint32_t numbers[2];
    char sentence[192] = "";
    memcpy(numbers, guest->in + SECRET_BYTES, sizeof numbers);
    uint32_t rank_count = ntohl(numbers[0]), rank = ntohl(numbers[1]);
    if (rank_count == 0 || rank_count > RANKS_MAX || rank >= rank_count) {
        see_off(guest);
        return;
    }
    bool is_twice = find_rank(meeting, rank) != NULL;
    guest->is_rank = true;
    guest->rank = rank;
    guest->received = 0;
    if (meeting->rank_count == 0)
        meeting->rank_count = rank_count;
    if (meeting->rank_count != rank_count)
        snprintf(
            sentence, sizeof sentence,
            "rank %u says that there are %u ranks, and another one that there are %u; all must say the same",
            rank, rank_count, meeting->rank_count);
    else if (is_twice)
        snprintf(sentence, sizeof sentence, "two processes or threads say that they are rank %u of %u", rank,
                 rank_count);
    if (sentence[0] != '\0') {
        fail_meeting(meeting, HCCL_E_PARA, rank, sentence);
        return;
    }
    free(guest->in);
    guest->in = (uint8_t *)malloc(1 + round_bytes(ROUND_LISTENING, rank_count));
    if (guest->in == NULL) {
        lose(meeting, guest);
        return;
    }
    meeting->come++;
    count_sent(meeting, guest);
}

static void hear(struct meeting *meeting, struct guest *guest)
{
    size_t expected = !guest->is_rank ? (size_t)GREETING_BYTES
                      : meeting->round == ROUNDS
                          ? 0
                          : 1 + round_bytes((enum meeting_round)meeting->round, meeting->rank_count);
    uint8_t more;
    bool is_asked = !guest->has_sent && !meeting->has_failed && guest->received < expected;
    ssize_t bytes = is_asked ? recv(guest->socket, guest->in + guest->received, expected - guest->received, 0)
                             : recv(guest->socket, &more, 1, 0);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (bytes <= 0 || !is_asked) {
        lose(meeting, guest);
        return;
    }
    guest->received += (size_t)bytes;
    if (guest->is_rank && guest->in[0] != (uint8_t)meeting->round)
        lose(meeting, guest);
    else if (!guest->is_rank && guest->received == expected && !is_secret(meeting, guest->in))
        see_off(guest);
    else if (guest->received == expected && guest->is_rank)
        count_sent(meeting, guest);
    else if (guest->received == expected)
        welcome(meeting, guest);
}

static void tell(struct meeting *meeting, struct guest *guest)
{
    ssize_t bytes =
        send(guest->socket, guest->out + guest->out_done, guest->out_bytes - guest->out_done, MSG_NOSIGNAL);
    if (bytes < 0 && errno != EAGAIN && errno != EINTR) {
        lose(meeting, guest);
        return;
    }
    guest->out_done += bytes > 0 ? (size_t)bytes : 0;
    if (guest->out_done < guest->out_bytes)
        return;
    free(guest->out);
    guest->out = NULL;
    if (meeting->has_failed || meeting->round == ROUNDS)
        see_off(guest);
}

/* Room for one guest more. Of strangers there are at most STRANGERS_MAX: the one that came first goes. */
static bool make_room(struct meeting *meeting)
{
    struct guest *oldest = NULL;
    size_t strangers = 0;
    for (size_t i = 0; i < meeting->guest_count; i++) {
        struct guest *guest = &meeting->guests[i];
        if (guest->socket < 0 || guest->is_rank)
            continue;
        strangers++;
        if (oldest == NULL || guest->since < oldest->since)
            oldest = guest;
    }
    if (strangers == STRANGERS_MAX)
        see_off(oldest);
    size_t count = meeting->guest_count + 1;
    struct guest *guests = (struct guest *)realloc(meeting->guests, count * sizeof *guests);
    if (guests != NULL)
        meeting->guests = guests;
    struct pollfd *polled = (struct pollfd *)realloc(meeting->polled, (count + 2) * sizeof *polled);
    if (polled != NULL)
        meeting->polled = polled;
    return guests != NULL && polled != NULL;
}

static void let_in(struct meeting *meeting)
{
    struct sockaddr_storage from;
    socklen_t length = sizeof from;
    struct address host;
    int socket = accept4(meeting->listening, (struct sockaddr *)&from, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) {
        meeting->lacks_files |= errno == EMFILE || errno == ENFILE;
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            poll(NULL, 0, 10); /* no descriptor is left, say: whoever waits there would wake poll at once */
        return;
    }
    struct guest guest = {.socket = socket, .since = monotonic_ns(), .in = (uint8_t *)malloc(GREETING_BYTES)};
    if (guest.in == NULL || !address_from_socket(&host, &from) ||
        !whitelist_allows(&meeting->whitelist, &host) || !make_room(meeting)) {
        see_off(&guest);
        return;
    }
    socket_watch_peer(socket);
    meeting->guests[meeting->guest_count++] = guest;
    /* The greeting is here already where the system let connections wait for it: no crowd can come between.
     */
    hear(meeting, &meeting->guests[meeting->guest_count - 1]);
}

/* Waits until there is something to do, and returns false when nothing is left: what each guest has to say or
 * to hear is in meeting->polled. */
static bool wait_for_guests(struct meeting *meeting)
{
    int64_t wake = meeting->deadline;
    size_t count = 0, unheard = 0;
    for (size_t i = 0; i < meeting->guest_count; i++) {
        const struct guest *guest = &meeting->guests[i];
        if (guest->socket < 0) {
            continue;
        }
        unheard += guest->is_rank;
        if (!guest->is_rank && guest->since + STRANGER_SECONDS * second_ns < wake)
            wake = guest->since + STRANGER_SECONDS * second_ns;
        meeting->guests[count] = *guest;
        meeting->polled[count++] =
            (struct pollfd){.fd = guest->socket, .events = guest->out != NULL ? POLLIN | POLLOUT : POLLIN};
    }
    meeting->guest_count = count;
    if ((meeting->has_failed || meeting->round == ROUNDS) && unheard == 0)
        return false;
    meeting->polled[count] = (struct pollfd){.fd = meeting->ending, .events = POLLIN};
    meeting->polled[count + 1] = (struct pollfd){.fd = meeting->listening, .events = POLLIN};
    int ready = poll(meeting->polled, count + 2, poll_timeout(wake));
    if (ready <= 0) /* then revents are of before */
        for (size_t i = 0; i < count + 2; i++)
            meeting->polled[i].revents = 0;
    return (meeting->polled[count].revents & POLLIN) == 0;
}

static void *serve(void *argument)
{
    struct meeting *meeting = (struct meeting *)argument;
    while (wait_for_guests(meeting)) {
        size_t count = meeting->guest_count; /* those that have just been polled */
        int64_t now = monotonic_ns();
        for (size_t i = 0; i < count; i++) {
            struct guest *guest = &meeting->guests[i];
            short events = meeting->polled[i].revents;
            if (guest->socket >= 0 && guest->out != NULL && (events & POLLOUT) != 0)
                tell(meeting, guest);
            if (guest->socket >= 0 && (events & ~POLLOUT) != 0)
                hear(meeting, guest);
            if (guest->socket >= 0 && !guest->is_rank && now >= guest->since + STRANGER_SECONDS * second_ns)
                see_off(guest);
        }
        if (meeting->listening >= 0 && (meeting->polled[count + 1].revents & POLLIN) != 0)
            let_in(meeting);
        if (now >= meeting->deadline) {
            if (meeting->has_failed || meeting->round == ROUNDS)
                break;
            fail_late(meeting);
        }
    }
    pthread_mutex_lock(&all_lock);
    struct meeting **place = &all;
    while (*place != meeting)
        place = &(*place)->next;
    *place = meeting->next;
    meeting_free(meeting);
    pthread_cond_broadcast(&one_has_ended);
    pthread_mutex_unlock(&all_lock);
    return NULL;
}

static int start_serving(struct meeting *meeting)
{
    pthread_mutex_lock(&all_lock);
    int status = detached_thread_start(serve, meeting, 0);
    if (status == 0) {
        meeting->next = all;
        all = meeting;
    }
    pthread_mutex_unlock(&all_lock);
    return status;
}

HcclResult meeting_open(const struct meeting_place *place, int listening, struct mesh_fault *fault)
{
    HcclResult result;
    int status;
    struct meeting *meeting = (struct meeting *)calloc(1, sizeof *meeting);
    if (meeting == NULL) {
        close(listening);
        return mesh_refuse(fault, HCCL_E_MEMORY, -1, "there is no memory for the place where ranks meet");
    }
    meeting->place = *place;
    meeting->listening = listening;
    meeting->ending = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if ((result = connect_timeout(&meeting->timeout_ns, fault)) != HCCL_SUCCESS ||
        (result = whitelist_read(&meeting->whitelist, fault)) != HCCL_SUCCESS)
        goto fail;
    meeting->deadline = monotonic_ns() + meeting->timeout_ns;
    meeting->polled = (struct pollfd *)calloc(2, sizeof *meeting->polled);
    result = HCCL_E_SYSCALL;
    if (meeting->polled == NULL || meeting->ending < 0) {
        mesh_refuse(fault, result, -1, "the place where ranks meet cannot be made: %s", strerror(errno));
        goto fail;
    }
    if ((status = start_serving(meeting)) != 0) { /* from here on the meeting is its thread's */
        mesh_refuse(fault, result, -1, "the place where ranks meet has no thread: %s", strerror(status));
        goto fail;
    }
    return HCCL_SUCCESS;
fail:
    meeting_free(meeting);
    return result;
}

/* Under all_lock. */
static struct meeting *find_meeting(const struct meeting_place *place)
{
    struct meeting *meeting = all;
    while (meeting != NULL && memcmp(meeting->place.secret, place->secret, SECRET_BYTES) != 0)
        meeting = meeting->next;
    return meeting;
}

void meeting_end(const struct meeting_place *place, int64_t wait_ns)
{
    const uint64_t one = 1;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    int64_t ns = until.tv_nsec + wait_ns;
    until.tv_sec += (time_t)(ns / second_ns);
    until.tv_nsec = (long)(ns % second_ns);
    pthread_mutex_lock(&all_lock);
    while (find_meeting(place) != NULL && pthread_cond_timedwait(&one_has_ended, &all_lock, &until) == 0)
        ;
    struct meeting *meeting = find_meeting(place);
    if (meeting != NULL && write(meeting->ending, &one, sizeof one) == sizeof one)
        while (find_meeting(place) != NULL)
            pthread_cond_wait(&one_has_ended, &all_lock);
    pthread_mutex_unlock(&all_lock);
}
