/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Finds the peers that were built.
 */
#include "peer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"torch", "onednn"};

struct peers peers_load(const char *folder, int threads)
{
    struct peers peers = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/peer_%s.so", folder, names[i]);
        if (access(path, R_OK) != 0)
            continue;
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        const struct peer *(*open_peer)(void) = NULL;
        if (library) {
            void *symbol = dlsym(library, "bench_peer");
            memcpy(&open_peer, &symbol, sizeof open_peer); /* ISO C has no cast from object to function */
        }
        const struct peer *peer = open_peer ? open_peer() : NULL;
        if (!peer) {
            const char *reason = library ? "it does not start" : dlerror();
            fprintf(stderr, "bench: %s is left out: %s\n", path, reason);
            continue;
        }
        peer->set_threads(threads);
        peers.peer[peers.count++] = peer;
    }
    return peers;
}
