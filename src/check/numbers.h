/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The check num: NaN or infinity that first appears in what a task writes, while all that it reads is finite
 * (DC-022). Looks at the numbers when the task runs, on whatever thread that is.
 */
#ifndef BELAY_CHECK_NUMBERS_H
#define BELAY_CHECK_NUMBERS_H

#include "check/place.h"
#include "base/settings.h"
#include "runtime/streams/stream.h"

enum { NUMBERS_OUTPUTS = 256 };

/* What is known before a task runs: which outputs, in their order, have nothing but finite numbers. */
struct numbers_before {
    uint64_t is_finite[NUMBERS_OUTPUTS / 64];
};

void numbers_begin_on(const struct task *task, struct numbers_before *before);
void numbers_end_on(const struct task *task, const struct numbers_before *before);

/* Runs a task whose numbers are looked at, before and behind: its status. */
int numbers_run(struct task *task);

#endif
