/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Faults that BELAY_FAULT asks for (docs/faults.md): what the saboteur (runtime/faults) waits for. Nobody calls
 * him without asking first whether he waits for such an event, so that where no fault is asked for a place at
 * which one could strike costs a load and a branch.
 */
#ifndef BELAY_BASE_SABOTEUR_H
#define BELAY_BASE_SABOTEUR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/export.h"

/* What a fault can wait for. Work of streams is an operator or a copy, too. */
enum fault_event {
    FAULT_AT_COLLECTIVE, /* a rank begins one, with others */
    FAULT_AT_MESSAGE,    /* or messages to and from single others */
    FAULT_AT_ALLOC,      /* memory of a device is asked for */
    FAULT_AT_PINNED,     /* memory of the host that is pinned */
    FAULT_AT_OPERATOR,   /* an operator or kernel begins to run */
    FAULT_AT_COPY,       /* a copy or set, blocking or of a stream */
    FAULT_AT_STREAM,     /* an operator or copy of a stream */
    FAULT_AT_FILE,       /* Belay writes to a file of its own */
    FAULT_EVENTS
};

/* Beside a bit for each event: a device is lost; all failures are told. */
enum { FAULT_DEVICE_LOST = 1 << FAULT_EVENTS, FAULT_ANY = 1 << (FAULT_EVENTS + 1) };

/* What is waited for: a bit each, 0 where no fault is asked for. Set before the first task of the process. */
extern _Atomic uint32_t faults_awaited SHARED(faults_awaited);

static inline bool fault_is_awaited(uint32_t bits)
{
    return __builtin_expect(atomic_load_explicit(&faults_awaited, memory_order_relaxed) & bits, 0) != 0;
}

/* What those below him call. */
struct saboteur {
    /* Begins with the faults of the text. false, with a sentence about it, where it is not understood. */
    bool (*start)(const char *text, char *sentence, size_t bytes);
    void (*after_fork)(void);
    /* Whether the disk is said to be full on which path lies; errno is ENOSPC then. */
    bool (*fills_disk)(const char *path);
    /* A call has failed, after a fault or not. */
    void (*saw)(int code, const char *sentence);
};

/* Set once, while the library is loaded. */
extern const struct saboteur *saboteur SHARED(saboteur);

/* For those who are about to write to a file of Belay's: true and ENOSPC where a fault asks for a full disk. */
static inline bool disk_is_full(const char *path)
{
    return fault_is_awaited(1 << FAULT_AT_FILE) && saboteur->fills_disk(path);
}

#endif
