/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Makes a mesh. The ranks meet at the rendezvous; only when all are there does each open a pair for every
 * other, and tell it where. A pair lets nobody in but the address that its peer has named; when that holds
 * everywhere they connect, prove over each connection that they know the secret, and tell the rendezvous, so
 * that all have the mesh or none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "check/exchange.h"
#include "hccl/gloo_library.h"
#include "hccl/mesh_watch.h"
#include "hccl/pair_socket.h"
#include "hccl/peer_memory.h"
#include "hccl/rendezvous.h"
#include "base/cancellation.h"
#include "base/detached_thread.h"
#include "base/log.h"

static HcclResult open_place(struct meeting_place *place, struct mesh_fault *fault)
{
    int listening;
    if (getrandom(place->secret, SECRET_BYTES, 0) != SECRET_BYTES)
        return mesh_refuse(fault, HCCL_E_SYSCALL, -1, "there are no random bytes for a root info: %s",
                           strerror(errno));
    HcclResult result = address_choose(&place->address, fault);
    if (result == HCCL_SUCCESS)
        result = address_listen(&place->address, &listening, fault);
    return result == HCCL_SUCCESS ? meeting_open(place, listening, fault) : result;
}

HcclResult mesh_describe_root(HcclRootInfo *root, struct mesh_fault *fault)
{
    struct meeting_place place = {.opens_later = false};
    int cancellation = cancellation_hold();
    HcclResult result = open_place(&place, fault);
    if (result == HCCL_SUCCESS)
        meeting_place_write(root, &place);
    cancellation_allow(cancellation);
    return result;
}

/* What joining needs and a mesh does not; one entry for each rank, that of the own one unused. */
struct joining {
    struct mesh *mesh;
    struct meeting_place place;
    struct meeting_visit visit;
    int64_t deadline;
    struct address *mine;   /* where this rank's pairs listen */
    struct address *theirs; /* where the others' do for this rank */
    struct address *sources, *their_sources;
    int *sockets; /* of the pairs, -1 where they are not to be found */
};

static HcclResult refuse_gloo(const struct joining *joining, uint32_t peer, enum gloo_status status,
                              const char *reason, struct mesh_fault *fault)
{
    if (status == GLOO_TIMED_OUT)
        return mesh_refuse(
            fault, HCCL_E_TIMEOUT, peer,
            "rank %u did not connect to rank %u within HCCL_CONNECT_TIMEOUT: each must see the "
            "other's address as it is",
            joining->mesh->rank, peer);
    return mesh_refuse(fault, HCCL_E_TCP_CONNECT, peer, "rank %u has no connection to rank %u: %s",
                       joining->mesh->rank, peer, reason);
}

/* Opens the pairs, which let nobody in yet. */
static HcclResult open_pairs(struct joining *joining, struct mesh_fault *fault)
{
    struct mesh *mesh = joining->mesh;
    struct address here = joining->visit.here;
    bool is_chosen;
    char host[ADDRESS_TEXT], reason[GLOO_REASON_BYTES];
    sigset_t signals;
    /* Unless told otherwise a rank is where the root's place sees it. */
    HcclResult result = address_by_setting(&here, &is_chosen, fault);
    if (result != HCCL_SUCCESS)
        return result;
    if (!is_chosen)
        here = joining->visit.here;
    address_host_text(&here, host);
    signals_hold(&signals); /* Gloo may start its thread */
    enum gloo_status status = mesh->gloo->open(host, mesh->rank, mesh->rank_count,
                                               milliseconds_until(joining->deadline), &mesh->pairs, reason);
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
    if (status != GLOO_DONE)
        return mesh_refuse(fault, HCCL_E_TCP_CONNECT, -1, "rank %u cannot listen at %s: %s", mesh->rank, host,
                           reason);
    for (uint32_t peer = 0; peer < mesh->rank_count; peer++) {
        struct sockaddr_storage bound;
        if (peer == mesh->rank)
            continue;
        status = mesh->gloo->where(mesh->pairs, peer, &bound, reason);
        if (status != GLOO_DONE || !address_from_socket(&joining->mine[peer], &bound))
            return refuse_gloo(joining, peer, GLOO_FAILED, reason, fault);
    }
    sockets_find(joining->mine, NULL, mesh->rank_count, joining->sockets);
    bool is_guarded = true;
    for (uint32_t peer = 0; peer < mesh->rank_count; peer++)
        if (peer != mesh->rank)
            is_guarded &= joining->sockets[peer] >= 0 && socket_admit_nobody(joining->sockets[peer]);
    if (!is_guarded && log_wants(LOG_MODULE_APP, LOG_WARNING))
        log_line(LOG_MODULE_APP, LOG_WARNING, __FILE__, __LINE__,
                 "the system has no filters for sockets, or no /proc/self/fd: while rank %u connects to the "
                 "others, "
                 "any process that reaches %s may disturb it",
                 mesh->rank, host);
    return HCCL_SUCCESS;
}

/* Has each pair let in its peer's host alone. Which address a connection comes from is the system's choice,
 * not that of the address that its maker listens at. */
static HcclResult guard_pairs(struct joining *joining, struct mesh_fault *fault)
{
    const struct mesh *mesh = joining->mesh;
    for (uint32_t peer = 0; peer < mesh->rank_count; peer++) {
        struct sockaddr_storage there;
        if (peer == mesh->rank)
            continue;
        if (!address_is_of_host(&joining->theirs[peer]) || joining->theirs[peer].port == 0)
            return mesh_refuse(fault, HCCL_E_REMOTE, peer, "rank %u names no address of its own", peer);
        if (joining->theirs[peer].family != joining->mine[peer].family)
            return mesh_refuse(
                fault, HCCL_E_TCP_CONNECT, peer,
                "rank %u uses IPv%d and rank %u IPv%d; HCCL_IF_IP and HCCL_SOCKET_FAMILY of all ranks "
                "must agree",
                mesh->rank, joining->mine[peer].family, peer, joining->theirs[peer].family);
        socklen_t length = address_to_socket(&joining->theirs[peer], &there);
        if (!address_towards(&joining->sources[peer], (const struct sockaddr *)&there, length))
            return refuse_gloo(joining, peer, GLOO_FAILED,
                               mesh_lacks_files() ? "this process has too many open files"
                                                  : "no network leads there",
                               fault);
    }
    HcclResult result = meeting_take_round(&joining->visit, ROUND_ORIGINS, joining->sources,
                                           joining->their_sources, joining->deadline, fault);
    for (uint32_t peer = 0; peer < mesh->rank_count && result == HCCL_SUCCESS; peer++)
        if (peer != mesh->rank && joining->sockets[peer] >= 0)
            socket_admit(joining->sockets[peer], &joining->their_sources[peer]);
    if (result != HCCL_SUCCESS)
        return result;
    return meeting_take_round(&joining->visit, ROUND_GUARDED, NULL, NULL, joining->deadline, fault);
}

static HcclResult connect_pairs(struct joining *joining, struct mesh_fault *fault)
{
    struct mesh *mesh = joining->mesh;
    char reason[GLOO_REASON_BYTES];
    for (uint32_t peer = 0; peer < mesh->rank_count; peer++) {
        struct sockaddr_storage there;
        if (peer == mesh->rank)
            continue;
        socklen_t length = address_to_socket(&joining->theirs[peer], &there);
        enum gloo_status status =
            mesh->gloo->connect(mesh->pairs, peer, (const struct sockaddr *)&there, length, reason);
        if (status != GLOO_DONE)
            return refuse_gloo(joining, peer, status, reason, fault);
    }
    return HCCL_SUCCESS;
}

/* Whoever has connected to this rank is who says so over the rendezvous too. */
static HcclResult compare_sources(struct joining *joining, struct mesh_fault *fault)
{
    const struct mesh *mesh = joining->mesh;
    memset(joining->sources, 0, mesh->rank_count * sizeof *joining->sources);
    sockets_find(joining->mine, joining->theirs, mesh->rank_count, joining->sockets);
    for (uint32_t peer = 0; peer < mesh->rank_count; peer++) {
        struct address there;
        if (peer == mesh->rank || joining->sockets[peer] < 0)
            continue;
        socket_admit_all(joining->sockets[peer]);
        socket_watch_peer(joining->sockets[peer]);
        if (socket_there(joining->sockets[peer], &there) &&
            memcmp(&there, &joining->theirs[peer], sizeof there) == 0)
            socket_here(joining->sockets[peer], &joining->sources[peer]);
    }
    HcclResult result = meeting_take_round(&joining->visit, ROUND_SOURCES, joining->sources,
                                           joining->their_sources, joining->deadline, fault);
    for (uint32_t peer = 0; peer < mesh->rank_count && result == HCCL_SUCCESS; peer++) {
        struct address there;
        if (peer == mesh->rank || joining->sockets[peer] < 0 || joining->sources[peer].family != 0 ||
            joining->their_sources[peer].family ==
                0) /* without /proc/self/fd, here or there, nothing is known */
            continue;
        if (!socket_there(joining->sockets[peer], &there) ||
            memcmp(&there, &joining->their_sources[peer], sizeof there) != 0)
            result =
                refuse_gloo(joining, peer, GLOO_FAILED, "somebody else has connected in its place", fault);
    }
    return result;
}

/* What a rank says over each connection. */
struct proof {
    uint8_t secret[SECRET_BYTES];
    uint32_t rank;
};

static HcclResult prove_pairs(struct joining *joining, struct mesh_fault *fault)
{
    struct mesh *mesh = joining->mesh;
    size_t count = 0;
    struct proof mine = {.rank = mesh->rank};
    struct proof *proofs = (struct proof *)calloc(mesh->rank_count, sizeof *proofs);
    struct mesh_message *messages = (struct mesh_message *)calloc(mesh->rank_count, 2 * sizeof *messages);
    HcclResult result =
        proofs != NULL && messages != NULL
            ? HCCL_SUCCESS
            : mesh_refuse(fault, HCCL_E_MEMORY, -1, "there is no memory for %u ranks", mesh->rank_count);
    memcpy(mine.secret, joining->place.secret, SECRET_BYTES);
    for (uint32_t peer = 0; peer < mesh->rank_count && result == HCCL_SUCCESS; peer++) {
        if (peer == mesh->rank)
            continue;
        messages[count++] = (struct mesh_message){.data = &mine, .bytes = sizeof mine, .peer = peer};
        messages[count++] = (struct mesh_message){
            .data = &proofs[peer], .bytes = sizeof mine, .peer = peer, .receives = true};
    }
    if (result == HCCL_SUCCESS)
        result = mesh_exchange(mesh, 0, messages, count, joining->deadline, fault);
    for (uint32_t peer = 0; peer < mesh->rank_count && result == HCCL_SUCCESS; peer++) {
        uint8_t differs = 0;
        for (size_t i = 0; i < SECRET_BYTES; i++) /* takes the same time whatever the bytes are */
            differs |= (uint8_t)(proofs[peer].secret[i] ^ mine.secret[i]);
        if (peer != mesh->rank && (differs != 0 || proofs[peer].rank != peer))
            result = refuse_gloo(joining, peer, GLOO_FAILED, "whoever answers there is somebody else", fault);
    }
    free(messages);
    free(proofs);
    return result;
}

/* Shows this rank's memory to the ranks that are on this host as far as addresses say. */
static HcclResult show_memory(struct joining *joining, struct mesh_fault *fault)
{
    struct mesh *mesh = joining->mesh;
    bool *is_here = (bool *)calloc(mesh->rank_count, sizeof *is_here);
    if (is_here == NULL)
        return mesh_refuse(fault, HCCL_E_MEMORY, -1, "there is no memory for %u ranks", mesh->rank_count);
    for (uint32_t peer = 0; peer < mesh->rank_count; peer++)
        is_here[peer] = peer != mesh->rank && joining->theirs[peer].family == joining->mine[peer].family &&
                        memcmp(joining->theirs[peer].host, joining->mine[peer].host,
                               sizeof joining->mine[peer].host) == 0;
    HcclResult result = peer_memory_meet(mesh, is_here, joining->deadline, fault);
    free(is_here);
    return result;
}

static HcclResult join_others(struct joining *joining, struct mesh_fault *fault)
{
    struct mesh *mesh = joining->mesh;
    HcclResult result;
    if ((result = gloo_library_open(&mesh->gloo, fault)) != HCCL_SUCCESS ||
        (result = meeting_enter(&joining->visit, &joining->place, mesh->rank_count, mesh->rank,
                                joining->deadline, fault)) != HCCL_SUCCESS)
        return result;
    /* Only now is there anybody to allot room for. */
    joining->mine = (struct address *)calloc(mesh->rank_count, sizeof *joining->mine);
    joining->theirs = (struct address *)calloc(mesh->rank_count, sizeof *joining->theirs);
    joining->sources = (struct address *)calloc(mesh->rank_count, sizeof *joining->sources);
    joining->their_sources = (struct address *)calloc(mesh->rank_count, sizeof *joining->their_sources);
    joining->sockets = (int *)calloc(mesh->rank_count, sizeof *joining->sockets);
    if (joining->mine == NULL || joining->theirs == NULL || joining->sources == NULL ||
        joining->their_sources == NULL || joining->sockets == NULL)
        return mesh_refuse(fault, HCCL_E_MEMORY, -1, "there is no memory for %u ranks", mesh->rank_count);
    if ((result = open_pairs(joining, fault)) != HCCL_SUCCESS ||
        (result = meeting_take_round(&joining->visit, ROUND_LISTENING, joining->mine, joining->theirs,
                                     joining->deadline, fault)) != HCCL_SUCCESS ||
        (result = guard_pairs(joining, fault)) != HCCL_SUCCESS ||
        (result = connect_pairs(joining, fault)) != HCCL_SUCCESS ||
        (result = compare_sources(joining, fault)) != HCCL_SUCCESS ||
        (result = mesh_watch_begin(mesh, fault)) != HCCL_SUCCESS ||
        (result = prove_pairs(joining, fault)) != HCCL_SUCCESS ||
        (result = show_memory(joining, fault)) != HCCL_SUCCESS)
        return result;
    return meeting_take_round(&joining->visit, ROUND_CONNECTED, NULL, NULL, joining->deadline, fault);
}

static HcclResult check_rank(uint32_t rank_count, uint32_t rank, struct mesh_fault *fault)
{
    if (rank_count == 0 || rank_count > RANKS_MAX || rank >= rank_count)
        return mesh_refuse(fault, HCCL_E_PARA, -1,
                           "rank %u of %u; 1 to %d ranks are expected, and a rank below their number", rank,
                           rank_count, RANKS_MAX);
    return HCCL_SUCCESS;
}

static HcclResult join_at(const struct meeting_place *place, uint32_t rank_count, uint32_t rank,
                          struct mesh **mesh, struct mesh_fault *fault)
{
    struct joining joining = {.place = *place, .visit = {.socket = -1}};
    int64_t timeout_ns;
    HcclResult result = connect_timeout(&timeout_ns, fault);
    if (result != HCCL_SUCCESS)
        return result;
    joining.mesh = (struct mesh *)calloc(1, sizeof *joining.mesh);
    if (joining.mesh == NULL || (errno = pthread_mutex_init(&joining.mesh->lock, NULL)) != 0) {
        free(joining.mesh);
        return mesh_refuse(fault, HCCL_E_MEMORY, -1, "there is no memory for a communicator");
    }
    joining.mesh->rank = rank;
    joining.mesh->rank_count = rank_count;
    memcpy(&joining.mesh->identity, place->secret, sizeof joining.mesh->identity);
    watch_ranks_join(joining.mesh->identity, rank, 1);
    joining.deadline = monotonic_ns() + timeout_ns;
    int cancellation = cancellation_hold();
    if (rank_count > 1)
        result = join_others(&joining, fault);
    bool has_met = joining.visit.rank_count != 0;
    meeting_leave(&joining.visit);
    /* A place of this process tells the others before it ends; one rank alone, or one that has not been
     * there, leaves nothing to tell. */
    meeting_end(&joining.place, rank_count == 1 || !has_met ? 0 : 2 * INT64_C(1000000000));
    free(joining.mine);
    free(joining.theirs);
    free(joining.sources);
    free(joining.their_sources);
    free(joining.sockets);
    if (result == HCCL_SUCCESS)
        *mesh = joining.mesh;
    else
        mesh_close(joining.mesh);
    cancellation_allow(cancellation);
    return result;
}

HcclResult mesh_join(const HcclRootInfo *root, uint32_t rank_count, uint32_t rank, struct mesh **mesh,
                     struct mesh_fault *fault)
{
    struct meeting_place place;
    HcclResult result = check_rank(rank_count, rank, fault);
    *mesh = NULL;
    if (result == HCCL_SUCCESS)
        result = meeting_place_read(root, &place, fault);
    return result == HCCL_SUCCESS ? join_at(&place, rank_count, rank, mesh, fault) : result;
}

HcclResult mesh_join_at(const char *host, const uint8_t identity[MESH_IDENTITY_BYTES], uint32_t rank_count,
                        uint32_t rank, struct mesh **mesh, struct mesh_fault *fault)
{
    struct meeting_place place = {.opens_later = rank != 0};
    HcclResult result = check_rank(rank_count, rank, fault);
    *mesh = NULL;
    memcpy(place.secret, identity, SECRET_BYTES);
    if (result == HCCL_SUCCESS)
        result = address_known(&place.address, host, fault);
    if (result == HCCL_SUCCESS && rank == 0 && rank_count > 1) {
        int listening, cancellation = cancellation_hold();
        result = address_listen_at(&place.address, &listening, fault);
        if (result == HCCL_SUCCESS)
            result = meeting_open(&place, listening, fault);
        cancellation_allow(cancellation);
    }
    return result == HCCL_SUCCESS ? join_at(&place, rank_count, rank, mesh, fault) : result;
}
