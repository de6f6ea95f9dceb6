/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Places: where in the program a call was made, so that reports can say it. Taken for each call that makes
 * something, queues work or fails, while a check is on; turned into text only when it is printed.
 */
#ifndef BELAY_CHECK_PLACE_H
#define BELAY_CHECK_PLACE_H

#include <stdint.h>

#include "base/export.h"
#include "base/settings.h"

/* A value of 0 in a member: not known. */
struct call_place {
    const char *function; /* the public function that was called; static storage */
    uint64_t number;      /* of the call, among all of this process of which places were taken */
    uintptr_t address;    /* where the call returns to: the first frame outside of these libraries */
    uint32_t line;        /* of a Python program: what python_line_text knows */
    uint32_t callers;     /* likewise if there is a line, or else the stack that stack_find knows */
};

/* place_here for reports of failed calls, which have a place whatever checks are on. */
struct call_place place_of_report(const char *function) SHARED(place_of_report);

/*
 * The place of the call that the calling thread is in. function is static storage. Costs a walk over the
 * frames of these libraries and of the program, some ten nanoseconds where calls have come from there before,
 * and some hundred in Python programs; without any check nothing but function is filled in. Takes no lock of
 * the runtime, so any may be held.
 */
static inline struct call_place place_here(const char *function)
{
    return checks_are_on() ? place_of_report(function) : (struct call_place){.function = function};
}

/* A place that may have no more than its function: then the one of the call that the thread is in. */
static inline struct call_place place_completed(const struct call_place *place)
{
    return place->number != 0 ? *place : place_here(place->function);
}

/* place_here for what only reports of DC-017 and DC-018 may need: without a line where none of the module
 * that calls will be shown, as a line costs more than everything else. */
struct call_place place_for_leaks(const char *function);

enum { PLACE_MODULE_BYTES = 256, PLACE_SYMBOL_BYTES = 96, PLACE_LINE_BYTES = 256, PLACE_CALLERS = 5 };

/* A place in words. Text that is not known is empty. */
struct place_text {
    char module[PLACE_MODULE_BYTES]; /* path of the program or library */
    char symbol[PLACE_SYMBOL_BYTES]; /* of the calling function, if it is exported */
    char line[PLACE_LINE_BYTES];     /* train.py:12 (step) */
    uint64_t offset;                 /* of the call in module, as addr2line takes it */
};

void place_describe(const struct call_place *place, struct place_text *text);

/* The frames that led to the place, the innermost first, without those that every program has. Their number.
 */
uint32_t place_describe_callers(const struct call_place *place, struct place_text text[PLACE_CALLERS]);

/* For the child of a fork: makes the locks usable whoever held them in the parent. */
void place_after_fork(void);

#endif
