/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A moment in which nothing of the process reads or writes device memory, for who exchanges the pages behind
 * it. What programs submit meanwhile is queued, and blocking copies wait.
 */
#ifndef BELAY_RUNTIME_STREAMS_STANDSTILL_H
#define BELAY_RUNTIME_STREAMS_STANDSTILL_H

#include <stdint.h>

/*
 * Waits until all streams are idle and blocking copies over, and holds them. 0, or 107020 with a sentence at
 * the deadline, when nothing is held. No lock may be held; the lists of the devices' streams are, from here
 * to standstill_end, so that no stream is made meanwhile.
 */
int standstill_begin(const char *api, uint64_t deadline_ns);
void standstill_end(void);

#endif
