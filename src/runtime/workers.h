/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The pool of threads that computes for all streams (BELAY_THREADS of them, started when first needed).
 */
#ifndef BELAY_RUNTIME_WORKERS_H
#define BELAY_RUNTIME_WORKERS_H

#include <stdint.h>

#include "runtime/export.h"

/*
 * Runs body(context, index) once for every index below count, on the calling thread and on workers that have
 * nothing else to do, and returns when all are done. Order and place are unspecified: body must write to
 * disjoint memory and give results that depend on the index alone. Never fails: at worst the caller does
 * everything.
 */
void workers_run(void (*body)(void *context, uint64_t index), void *context, uint64_t count)
    SHARED(workers_run);

#endif
