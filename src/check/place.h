/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Takes places (base/place.h), and turns them into text, which happens only when it is printed.
 */
#ifndef BELAY_CHECK_PLACE_H
#define BELAY_CHECK_PLACE_H

#include <stdint.h>

#include "base/place.h"

/* place_here for reports of failed calls, which have a place whatever checks are on. */
struct call_place place_of_report(const char *function);

/* The same, of which the numbers of calls know nothing: for what depends on how long others take. */
struct call_place place_without_number(const char *function);

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

#endif
