/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Streams that are parked for a limited time. Workers serve the deadlines between their tasks, and so do
 * threads that wait for a parked stream.
 */
#ifndef BELAY_RUNTIME_STREAMS_DEADLINE_H
#define BELAY_RUNTIME_STREAMS_DEADLINE_H

#include <stdint.h>

struct stream;

/* Has the task that the stream is parked on resumed at the deadline. The stream's lock is held. */
void deadline_set(struct stream *stream, uint64_t deadline_ns);

/* Takes that back. The stream's lock is held. */
void deadline_forget(struct stream *stream);

/* Resumes what is overdue; returns the next deadline, or FUTEX_FOREVER. No lock is held. */
uint64_t deadlines_serve(void);

#endif
