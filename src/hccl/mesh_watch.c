/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Notices peers that go while a message of theirs is half received. Gloo tells those who wait for other
 * messages over that connection, but not who waits for this one. So each connection has a message that nobody
 * ever sends, a sentinel, whose wait Gloo does end; one thread of the process looks at the sentinels of all
 * meshes with exchanges under way, and ends what waits for a peer that has gone. The thread is there while
 * there are meshes.
 */
#include "hccl/mesh_watch.h"

#include <stdlib.h>

#include "hccl/mesh_abort.h"
#include "hccl/pair_socket.h"
#include "base/detached_thread.h"

/* The one slot that mesh_exchange does not use. */
#define SENTINEL_SLOT UINT64_MAX

static const long look_ns = 50000000; /* from one look to the next */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held before a mesh's */
static pthread_cond_t has_changed;
static bool has_condition, has_thread;
static struct mesh *watched; /* all of this is under the lock */

/* Whether the peer has gone. A wait that is ended before it begins tells without waiting. */
static bool has_gone(const struct mesh *mesh, uint32_t peer)
{
    char reason[GLOO_REASON_BYTES];
    mesh->gloo->abort(mesh->sentinels[peer]);
    return mesh->gloo->wait(mesh->sentinels[peer], 0, reason) != GLOO_ABORTED;
}

static void look_at(struct mesh *mesh)
{
    pthread_mutex_lock(&mesh->lock);
    for (uint32_t peer = 0; peer < mesh->rank_count && mesh->exchanges != NULL; peer++) {
        if (peer == mesh->rank)
            continue;
        if (!mesh->has_gone[peer])
            mesh->has_gone[peer] = has_gone(mesh, peer);
        if (mesh->has_gone[peer])
            mesh_abort_peer(mesh, peer);
    }
    pthread_mutex_unlock(&mesh->lock);
}

static void *watch(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (watched != NULL) {
        struct timespec until;
        for (struct mesh *mesh = watched; mesh != NULL; mesh = mesh->next_watched)
            look_at(mesh);
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += look_ns;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&has_changed, &lock, &until);
    }
    has_thread = false;
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Under the lock. */
static int start_thread(void)
{
    pthread_condattr_t clock;
    int status = 0;
    if (!has_condition && (status = pthread_condattr_init(&clock)) == 0) {
        pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
        status = pthread_cond_init(&has_changed, &clock);
        has_condition = status == 0;
        pthread_condattr_destroy(&clock);
    }
    if (status == 0)
        status = detached_thread_start(watch, NULL, 0);
    has_thread = status == 0;
    return status;
}

HcclResult mesh_watch_begin(struct mesh *mesh, struct mesh_fault *fault)
{
    static char never_written;
    mesh->sentinels = (struct gloo_message **)calloc(mesh->rank_count, sizeof *mesh->sentinels);
    mesh->has_gone = (bool *)calloc(mesh->rank_count, sizeof *mesh->has_gone);
    if (mesh->sentinels == NULL || mesh->has_gone == NULL)
        return mesh_refuse(fault, HCCL_E_MEMORY, -1, "there is no memory for %u ranks", mesh->rank_count);
    for (uint32_t peer = 0; peer < mesh->rank_count; peer++) {
        char reason[GLOO_REASON_BYTES];
        struct pipe_signal signal;
        if (peer == mesh->rank)
            continue;
        pipe_signal_hold(&signal);
        enum gloo_status status = mesh->gloo->post(mesh->pairs, peer, SENTINEL_SLOT, &never_written, 1, true,
                                                   &mesh->sentinels[peer], reason);
        pipe_signal_restore(&signal);
        if (status != GLOO_DONE)
            return mesh_refuse(fault, HCCL_E_REMOTE, peer, "rank %u has gone: %s", peer, reason);
    }
    pthread_mutex_lock(&lock);
    int status = has_thread ? 0 : start_thread();
    if (status == 0) {
        mesh->next_watched = watched;
        watched = mesh;
        mesh->is_watched = true;
    }
    pthread_mutex_unlock(&lock);
    return status == 0
               ? HCCL_SUCCESS
               : mesh_refuse(fault, HCCL_E_SYSCALL, -1, "there is no thread to watch the other ranks");
}

void mesh_watch_end(struct mesh *mesh)
{
    pthread_mutex_lock(&lock);
    struct mesh **place = &watched;
    while (mesh->is_watched && *place != mesh)
        place = &(*place)->next_watched;
    if (mesh->is_watched)
        *place = mesh->next_watched;
    if (watched == NULL && has_condition)
        pthread_cond_signal(&has_changed);
    pthread_mutex_unlock(&lock);
    for (uint32_t peer = 0; peer < mesh->rank_count && mesh->sentinels != NULL; peer++)
        if (mesh->sentinels[peer] != NULL)
            mesh->gloo->discard(mesh->sentinels[peer]);
    free(mesh->sentinels);
    free(mesh->has_gone);
}
