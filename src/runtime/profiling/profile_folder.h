/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The folder that one profile of a program is written to, PROF_000001_20261231235959123_ABCDEFGHIJKLMNOP:
 * what `msprof --export=on` and the analysis of PyTorch for Ascend look for in it. Belay's own timeline,
 * which everything is made of, is host/data/PROFILE_TIMELINE.
 */
#ifndef BELAY_RUNTIME_PROFILING_PROFILE_FOLDER_H
#define BELAY_RUNTIME_PROFILING_PROFILE_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/timeline/trace_file.h"

#define PROFILE_TIMELINE "timeline.belay"

/* Reads the three clocks as near together as can be. The calendar's is in whole microseconds, as files have
 * it. */
struct trace_clocks profile_clocks(void);

/* Makes the folder in parent, which is made too where it is missing, and writes its name; false with errno.
 */
bool profile_folder_make(const char *parent, uint64_t devices, char path[PATH_MAX]);

/* Writes name, start_info or end_info, for the host and each device, and the processor's counter into
 * host_start.log or host_end.log; false with errno. */
bool profile_folder_write_info(const char *path, uint64_t devices, const char *name,
                               const struct trace_clocks *clocks);

#endif
