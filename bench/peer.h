/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a peer is to the benchmark: a shared object peer_NAME.so beside the program that exports bench_peer.
 * The program builds and runs without any of them.
 */
#ifndef BELAY_BENCH_PEER_H
#define BELAY_BENCH_PEER_H

#include <stdint.h>

#include "workload.h"

#ifdef __cplusplus
extern "C" {
#endif

struct peer {
    const char *name; /* as in the columns of the table: torch, onednn */
    const char *version;
    void (*set_threads)(int threads);
    /* NULL where the peer has no such operator, dtype or layout. */
    void *(*prepare)(const struct workload *workload);
    void (*run)(void *prepared, uint64_t repetitions);
    void (*release)(void *prepared);
};

/* NULL when the library behind it does not start. */
const struct peer *bench_peer(void);

enum { PEERS_MAX = 4 };

struct peers {
    int count;
    const struct peer *peer[PEERS_MAX];
};

/* Opens the peers in a folder; those that do not load are named on standard error and left out. */
struct peers peers_load(const char *folder, int threads);

#ifdef __cplusplus
}
#endif

#endif
