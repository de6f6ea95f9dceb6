/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Marks and ranges in timelines, as the functions of aclprof (stamp.c) and mstx (mstx.c) make them.
 */
#ifndef BELAY_RUNTIME_PROFILING_MARK_H
#define BELAY_RUNTIME_PROFILING_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"

/* A mark now, and in the stream where that is not NULL; 0 or the codes of stream_submit. */
int mark_now(const char *api, const char *domain, const char *message, aclrtStream stream);

/*
 * Begins a range, whose texts are copied; its number, which is not 0. thread is 0, or the caller's
 * thread_id, for ranges that lie within one another. 0 without memory, or where the stream refuses,
 * with *status.
 */
uint64_t mark_begin(const char *api, const char *domain, const char *message, uint32_t thread,
                    aclrtStream stream, int *status);

/* Ends the range with the number, or, for 0, the last one of the thread. Whether there is one. */
bool mark_end(const char *api, uint64_t number, uint32_t thread);

#endif
