/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The journal of faults: which came, and what the program saw then, in memory that `belay run` shares with the
 * processes that it starts, so that a process that is killed loses nothing of it, and what is to come once comes
 * once in all of them.
 */
#ifndef BELAY_RUNTIME_FAULTS_JOURNAL_H
#define BELAY_RUNTIME_FAULTS_JOURNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/faults/plan.h"

enum { JOURNAL_NOTES = 256, JOURNAL_TEXT_BYTES = 360, JOURNAL_SEEN = -1 };

/* All text is escaped. Written once, before is_whole; but count. */
struct journal_note {
    _Atomic uint32_t is_whole;
    _Atomic uint32_t count; /* how often the same happened to the process */
    int32_t fault;          /* which came; JOURNAL_SEEN: a call failed with the code */
    int32_t code, process;
    int64_t rank, restart; /* -1: unknown */
    char text[JOURNAL_TEXT_BYTES];
};

struct journal {
    _Atomic uint32_t came[FAULTS_MAX];     /* how often */
    _Atomic uint32_t is_taken[FAULTS_MAX]; /* what comes once has come, or is about to */
    _Atomic uint64_t fitted[FAULTS_MAX];   /* the most events of a process that fitted the conditions */
    _Atomic uint32_t any_came;
    _Atomic uint32_t used; /* notes begun; beyond JOURNAL_NOTES there was no room for some */
    _Atomic uint32_t processes;
    struct journal_note note[JOURNAL_NOTES];
};

/* The journal of `belay run` at path, or one of this process alone where path is NULL. NULL when there is none.
 * It stays mapped. */
struct journal *journal_open(const char *path);

/* Writes a note down, or counts it where the process has written the same before. */
void journal_write(struct journal *journal, const struct journal_note *note);

#endif
