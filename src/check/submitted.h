/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where tasks were submitted, for what is found as they run, on whatever thread that is: numbers that are not
 * finite, and work that fails.
 */
#ifndef BELAY_CHECK_SUBMITTED_H
#define BELAY_CHECK_SUBMITTED_H

#include "check/place.h"
#include "runtime/tasks/task.h"

/* Remembers where the task with that number was submitted, as long as no more than some thousand follow. */
void submitted_keep(uint32_t number, const struct call_place *place);

/* That place; with the function alone where it is not known (any more). */
struct call_place submitted_at(const struct task *task);

#endif
