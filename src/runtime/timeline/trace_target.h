/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The file that the records of a timeline go to: one for the whole process (BELAY_TRACE), or one after the
 * other, each for the time that the program profiles itself (profiling.c).
 */
#ifndef BELAY_RUNTIME_TIMELINE_TRACE_TARGET_H
#define BELAY_RUNTIME_TIMELINE_TRACE_TARGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "runtime/timeline/trace_file.h"

/* Never freed: a thread may still be on its way to a chunk of one that is over. */
/* It lasts as long as the process, as a thread may be writing to what is no longer the current one. */
struct trace_target {
    struct trace_target *before; /* the one that was current until then */
    dev_t device;
    ino_t inode;
    _Atomic bool is_full; /* no chunk could be had: none is tried for again */
    char path[];
};

/*
 * A new file, with its head: beside path, as PATH.PID.raw, or where is_exact that path itself, which must not
 * be there. NULL, with errno, where there can be none. One call at a time.
 */
struct trace_target *trace_target_create(const char *path, bool is_exact);

/* The head of the newest file. It stays where it is: with the next file it is that one's. */
struct trace_head *trace_target_head(void);

/* A chunk of the file that nobody has; NULL where there is no room. */
struct trace_chunk *trace_target_chunk(struct trace_target *target);

/* Writes a copy of the newest file, as far as it has come, to a path that is not there yet; false with errno.
 */
bool trace_target_copy(const struct trace_target *target, const char *path);

#endif
