/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A peer that only burns time, BENCH_WAIT_NS per call, and calls itself torch: the benchmark's own test knows
 * what its ratio must be.
 */
#include <stdlib.h>
#include <time.h>

#include "peer.h"

static double wait_ns;

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void set_threads(int threads)
{
    (void)threads;
}

static void *prepare(const struct workload *workload)
{
    (void)workload;
    return &wait_ns;
}

static void run(void *prepared, uint64_t repetitions)
{
    const double *wait = prepared;
    for (double end = now_ns() + *wait * (double)repetitions; now_ns() < end;)
        continue;
}

static void release(void *prepared)
{
    (void)prepared;
}

__attribute__((visibility("default"))) const struct peer *bench_peer(void)
{
    static const struct peer peer = {"torch", "a wait", set_threads, prepare, run, release};
    const char *text = getenv("BENCH_WAIT_NS");
    wait_ns = text ? atof(text) : 0;
    return &peer;
}
