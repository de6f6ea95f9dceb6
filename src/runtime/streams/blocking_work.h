/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Blocking copies and sets count as unfinished work, so that memory which another thread frees meanwhile is
 * not given out again before they have ended. They belong to no stream, so they have a table of their own.
 */
#ifndef BELAY_RUNTIME_STREAMS_BLOCKING_WORK_H
#define BELAY_RUNTIME_STREAMS_BLOCKING_WORK_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/export.h"

/*
 * To be called before the memory is looked up, and its result given to blocking_work_end whatever comes out:
 * the one writes the table and then reads the records, a free writes the record and then reads the table (see
 * stream_claim), so that memory which is found live stays until the end. Any thread, no lock; never fails.
 */
_Atomic uint64_t *blocking_work_begin(void) SHARED(blocking_work_begin);
void blocking_work_end(_Atomic uint64_t *work) SHARED(blocking_work_end);

/* device_oldest_unfinished() for the blocking work of all devices; behind the fence of the free. */
uint64_t blocking_work_oldest(void) SHARED(blocking_work_oldest);

/* From here to blocking_work_release, blocking work that begins waits; what runs may be waited for by
 * blocking_work_oldest. One thread at a time. */
void blocking_work_hold(void);
void blocking_work_release(void);

#endif
