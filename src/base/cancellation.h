/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Keeps pthread_cancel away from what must be finished. A thread that is cancelled ends inside open, read,
 * write or whatever a function of the program calls; a lock that it holds there, or a stream that it runs,
 * would be lost to all others. The cancellation stays pending and takes effect in the program's own code.
 */
#ifndef BELAY_BASE_CANCELLATION_H
#define BELAY_BASE_CANCELLATION_H

#include <pthread.h>

/* Returns what cancellation_allow takes to restore the state before; pairs may be nested. */
static inline int cancellation_hold(void)
{
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

static inline void cancellation_allow(int state)
{
    pthread_setcancelstate(state, &state);
}

#endif
