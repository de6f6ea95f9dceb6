/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Threads for the roofline: one part of the work each, waited for once per sample, because handing work over
 * is not what the roofline measures. They sleep while others are measured.
 */
#ifndef BELAY_BENCH_CREW_H
#define BELAY_BENCH_CREW_H

#include <stdint.h>

/* The caller is one of them; 1 starts none. Called once. */
void crew_start(int threads);

/*
 * body(context, part, parts) for each part on its own thread, repetitions times without waiting for one
 * another in between, and waits for all.
 */
void crew_run(void (*body)(void *context, int part, int parts), void *context, uint64_t repetitions);

#endif
