/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where threads and streams are, on the board: belay check prints it when a signal ends the program, which by then
 * cannot say anything. So it is written down all the time, where belay check counts.
 */
#ifndef BELAY_CHECK_WHEREABOUTS_H
#define BELAY_CHECK_WHEREABOUTS_H

/* From here on, where there is a board that belay check shares. */
void whereabouts_begin(void);

/* For the child of a fork, whose threads are none of those on the board. */
void whereabouts_after_fork(void);

#endif
