/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The time of day for messages and log lines, as 2026-01-31-23:59:59.123.456 (milliseconds, microseconds).
 */
#ifndef BELAY_BASE_LOCAL_TIME_H
#define BELAY_BASE_LOCAL_TIME_H

#include <stddef.h>
#include <stdint.h>

enum { LOCAL_TIME_BYTES = 28 };

/* Writes the present local time, 27 characters and the end. No allocation after the first call. */
void local_time_text(char text[LOCAL_TIME_BYTES]);

/* The text for a moment: seconds since 1970, to which the zone's offset has been added. */
void local_time_format(char text[LOCAL_TIME_BYTES], int64_t local_seconds, uint32_t microseconds);

/* From here on the zone is not looked up again: libc's lock may be held by a thread that is gone. */
void local_time_after_fork(void);

#endif
