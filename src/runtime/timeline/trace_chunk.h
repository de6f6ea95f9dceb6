/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where the calling thread writes its records (trace.c): a chunk of the file that it alone has mapped.
 */
#ifndef BELAY_RUNTIME_TIMELINE_TRACE_CHUNK_H
#define BELAY_RUNTIME_TIMELINE_TRACE_CHUNK_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/timeline/trace_file.h"

struct trace_target;

/* Room for a record, or NULL: then the record is lost. trace_commit, with its bytes, makes it one. */
void *trace_room_for(size_t bytes);
void trace_commit(size_t bytes);

/* The thread's chunk of the file that is written now; NULL where there is no room. */
struct trace_chunk *trace_current_chunk(void);

/* The chunk that the thread has, be it of a file that is over; NULL where it has none. */
struct trace_chunk *trace_last_chunk(void);

/* A new file, to which all threads go from now on (trace_target_create); false, with *why, and all is as it
 * was. */
bool trace_open_target(const char *path, bool is_exact, const char **why);

/* The file that is written, or was last; NULL: there has not been one. */
struct trace_target *trace_current_target(void);

/* For the child of a fork. */
void trace_chunk_after_fork(void);

#endif
