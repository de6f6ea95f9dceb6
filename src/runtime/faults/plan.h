/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Faults as they are asked for: the text of BELAY_FAULT and what it means (docs/faults.md has the grammar).
 */
#ifndef BELAY_RUNTIME_FAULTS_PLAN_H
#define BELAY_RUNTIME_FAULTS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/export.h"
#include "base/saboteur.h"

enum { FAULTS_MAX = 32, FAULT_TEXT_BYTES = 128, FAULT_NAME_BYTES = 64, FAULT_PLAN_SENTENCE_BYTES = 512 };

enum fault_deed {
    DEED_KILL,     /* the process ends by SIGKILL */
    DEED_STOP,     /* it stops by SIGSTOP, and goes on after a time if one is said */
    DEED_SLOW,     /* it takes longer */
    DEED_CUT,      /* the rank loses its connections */
    DEED_DISAGREE, /* the rank tells the others another call than it was asked for */
    DEED_FAIL,     /* the call or the work ends with a code */
    DEED_RESET,    /* the device is lost until the program resets it */
    DEED_FULL,     /* the disk is full */
    DEEDS
};

/* Which of the events that fit all conditions. */
enum fault_times {
    TIMES_ALL,
    TIMES_ONE,  /* the one with the number: once in all processes, or once in each */
    TIMES_FROM, /* that one and all behind it */
    TIMES_ODDS  /* each with a chance of one in number */
};

struct fault {
    char text[FAULT_TEXT_BYTES]; /* as it was asked for, cut */
    enum fault_event event;
    enum fault_times times;
    uint64_t number;
    bool is_in_each_process;
    int64_t rank, device, restart; /* -1: whichever */
    int32_t product;               /* enum product; -1: whichever */
    char name[FAULT_NAME_BYTES];   /* a pattern of the shell; "": whichever */
    uint64_t least_bytes;          /* of the event */
    uint64_t held_bytes;           /* what the device may hold; UINT64_MAX: whatever */
    enum fault_deed deed;
    int32_t code;         /* of DEED_FAIL and DEED_RESET */
    uint64_t nanoseconds; /* of DEED_STOP, where 0 is for ever, and DEED_SLOW */
};

struct fault_plan {
    uint32_t count;
    uint64_t seed;
    struct fault fault[FAULTS_MAX];
};

/* Reads the text: faults behind one another, with a semicolon or the end of a line between them. false, with a
 * sentence that says what is wrong with which of them. */
bool fault_plan_read(const char *text, struct fault_plan *plan, char sentence[FAULT_PLAN_SENTENCE_BYTES])
    SHARED(fault_plan_read);

/* The word for an event, and what it is; NULL behind the last one. */
const char *fault_event_word(uint32_t event, const char **about) SHARED(fault_event_word);

#endif
