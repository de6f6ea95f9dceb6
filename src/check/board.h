/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The board: what processes have reported, each kind of report once, in memory that `belay check` shares with
 * them, so that a crash loses none.
 */
#ifndef BELAY_CHECK_BOARD_H
#define BELAY_CHECK_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "check/place.h"
#include "base/error.h"
#include "base/report.h"

enum {
    BOARD_ENTRIES = 1024,
    BOARD_WHAT_BYTES = 48,
    BOARD_FUNCTION_BYTES = 96,
    BOARD_ADVICE_BYTES = 384,
    BOARD_WAITS_BYTES = 128
};

struct board_place {
    char what[BOARD_WHAT_BYTES];         /* how the sentence refers to it: "made"; may be empty */
    char function[BOARD_FUNCTION_BYTES]; /* may be empty */
    uint64_t number;
    struct place_text text;
    uint32_t caller_count;
    struct place_text caller[PLACE_CALLERS]; /* the frames that led there */
};

/* All text is escaped. Written once, before is_whole. */
struct board_entry {
    _Atomic uint64_t count; /* how often it was reported */
    _Atomic uint32_t is_whole;
    int32_t rule, code, process;
    char function[BOARD_FUNCTION_BYTES]; /* the public function; may be empty */
    char sentence[ERROR_SENTENCE_BYTES];
    char advice[BOARD_ADVICE_BYTES];
    uint32_t place_count;
    struct board_place place[FINDING_PLACES];
};

/*
 * Where a thread is, or a stream. One thread writes it at a time, and makes the version odd meanwhile; what a reader
 * has copied while that stayed even and the same is whole. A free one has owner 0.
 */
struct board_whereabouts {
    _Atomic uint64_t owner;
    _Atomic uint32_t version;
    int32_t process, thread, device; /* of a stream: its device; thread is not said */
    uint32_t stream;
    uint32_t state;                      /* enum whereabouts_state */
    uint64_t since_ns;                   /* clock_now_ns */
    char function[BOARD_FUNCTION_BYTES]; /* the public function */
    char waits_for[BOARD_WAITS_BYTES];   /* of a stream that is parked; may be empty */
    bool has_place;
    struct place_text
        place; /* of a thread that sleeps: of its call; of a stream: where its task was queued */
};

enum whereabouts_state { WHEREABOUTS_NONE, WHEREABOUTS_CALLS, WHEREABOUTS_RUNS, WHEREABOUTS_PARKED };
enum { BOARD_THREADS = 256, BOARD_STREAMS = 256 };

struct board {
    _Atomic uint64_t count[RULES];
    _Atomic uint64_t suppressed;
    _Atomic uint64_t processes;          /* that have used the library */
    _Atomic uint32_t used;               /* entries begun; may exceed BOARD_ENTRIES */
    _Atomic uint64_t key[BOARD_ENTRIES]; /* of entries: what makes them the same kind of report */
    struct board_entry entry[BOARD_ENTRIES];
    struct board_whereabouts thread[BOARD_THREADS], stream[BOARD_STREAMS];
};

/* The board of `belay check` at path, or one of this process alone where path is NULL. NULL when there is
 * none. It stays mapped. */
struct board *board_open(const char *path);

/*
 * The entry for reports of this key, which is not 0; NULL when the board is full. *is_new: it is the caller's
 * to fill in and to mark whole. Calls of one process one after the other.
 */
struct board_entry *board_find(struct board *board, uint64_t key, bool *is_new);

/* Counts what board_find has found, and fills it in from another entry if it is new. */
void board_fill(struct board_entry *entry, const struct board_entry *from, bool is_new, uint64_t count);

#endif
