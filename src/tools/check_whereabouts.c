/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads where threads and streams are from the board, which the program has written all the time: it says nothing itself,
 * as its threads may be anywhere when the signal comes, and a signal that comes from the terminal has ended it by now.
 */
#include "tools/check_whereabouts.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tools/source_line.h"

enum { TRIES = 100 };

/* A whole copy; false where the entry is free, or changes all the time. */
static bool read_entry(struct board_whereabouts *entry, struct board_whereabouts *copy)
{
    for (int i = 0; i < TRIES; i++) {
        const uint32_t before = atomic_load_explicit(&entry->version, memory_order_acquire);
        memcpy(copy, entry, sizeof *copy);
        atomic_thread_fence(memory_order_acquire);
        if (before % 2 == 0 && atomic_load_explicit(&entry->version, memory_order_relaxed) == before)
            return atomic_load(&copy->owner) != 0 && copy->state != WHEREABOUTS_NONE;
    }
    return false;
}

/* "called at hang.cpp:21 (main)", on a line of its own. */
static void print_place(struct board_whereabouts *entry, const char *what)
{
    struct place_text *place = &entry->place;
    const char *slash = strrchr(place->module, '/');
    if (!entry->has_place || (place->line[0] == '\0' && place->module[0] == '\0'))
        return;
    if (place->line[0] != '\0' || source_line_find(place))
        fprintf(stderr, "belay check:     %s at %s\n", what, place->line);
    else
        fprintf(stderr, "belay check:     %s at %s+0x%" PRIx64 "\n", what,
                slash != NULL ? slash + 1 : place->module, place->offset);
}

static void print_entry(struct board_whereabouts *entry, uint64_t now_ns)
{
    const double seconds = now_ns > entry->since_ns ? (double)(now_ns - entry->since_ns) / 1e9 : 0;
    const bool is_parked = entry->state == WHEREABOUTS_PARKED;
    fprintf(stderr, "belay check:   process %d, ", (int)entry->process);
    if (entry->state == WHEREABOUTS_CALLS) {
        fprintf(stderr, "thread %d: in %s for %.1f s\n", (int)entry->thread, entry->function, seconds);
        print_place(entry, "called");
        return;
    }
    fprintf(stderr, "device %d, stream %u: %s has %s %.1f s\n", (int)entry->device, (unsigned)entry->stream,
            entry->function, is_parked ? "waited" : "run", seconds);
    if (is_parked && entry->waits_for[0] != '\0')
        fprintf(stderr, "belay check:     for %s\n", entry->waits_for);
    print_place(entry, "queued");
}

/* Their number. */
static uint32_t print_entries(struct board_whereabouts *entries, uint32_t count, uint64_t now_ns)
{
    uint32_t printed = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct board_whereabouts copy;
        if (!read_entry(&entries[i], &copy))
            continue;
        print_entry(&copy, now_ns);
        printed++;
    }
    return printed;
}

void check_tell_whereabouts(struct board *board, int signal)
{
    struct timespec now; /* of the clock that the program's times are of */
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    fprintf(stderr, "belay check: when signal %d came, the program was here:\n", signal);
    if (print_entries(board->thread, BOARD_THREADS, now_ns) == 0)
        fputs("belay check:   no thread is in a call of the library\n", stderr);
    if (print_entries(board->stream, BOARD_STREAMS, now_ns) == 0)
        fputs("belay check:   no stream is at work or waits\n", stderr);
}
