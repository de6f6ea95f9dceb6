/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Threads of the library's own, which nobody joins. Signals that are sent to the process are for the
 * program's threads; those of an instruction are for whoever runs it, as the kernel ends the process where
 * they are blocked.
 */
#ifndef BELAY_BASE_DETACHED_THREAD_H
#define BELAY_BASE_DETACHED_THREAD_H

#include <signal.h>
#include <stddef.h>

#include "base/export.h"

/* Starts function(argument) with a stack of so many bytes, of the usual size for 0. 0, or an error number. */
int detached_thread_start(void *(*function)(void *), void *argument, size_t stack_bytes)
    SHARED(detached_thread_start);

/* Has threads that are created now, by whatever code, take no signals but those of instructions, until the
 * caller restores the mask. */
void signals_hold(sigset_t *old) SHARED(signals_hold);

#endif
