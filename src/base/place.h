/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Places: where in the program a call was made, so that reports can say it. They are taken by the checker
 * (check/place.h) for each call that makes something, queues work or fails, while a check is on.
 */
#ifndef BELAY_BASE_PLACE_H
#define BELAY_BASE_PLACE_H

#include "base/listener.h"
#include "base/settings.h"

/*
 * The place of the call that the calling thread is in. function is static storage. Costs a walk over the
 * frames of these libraries and of the program, some ten nanoseconds where calls have come from there before,
 * and some hundred in Python programs; without any check nothing but function is filled in. Takes no lock of
 * the runtime, so any may be held.
 */
static inline struct call_place place_here(const char *function)
{
    return checks_are_on() ? listener->place_of_report(function) : (struct call_place){.function = function};
}

/* A place that may have no more than its function: then the one of the call that the thread is in. */
static inline struct call_place place_completed(const struct call_place *place)
{
    return place->number != 0 ? *place : place_here(place->function);
}

#endif
