/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where a program is that somebody gives up on: what belay check prints when a signal asks for its end.
 */
#ifndef BELAY_TOOLS_CHECK_WHEREABOUTS_H
#define BELAY_TOOLS_CHECK_WHEREABOUTS_H

#include "check/board.h"

/* Prints which calls the threads are in and what the first work of each stream waits for. */
void check_tell_whereabouts(struct board *board, int signal);

#endif
