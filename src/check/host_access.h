/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tells what the program itself does with memory that is not the host's: it reads or writes device memory,
 * memory that it has freed, or what lies behind a block. The pages are closed to it (check/guarded_block.h),
 * so that the instruction raises a signal, and a handler of that signal makes the report. Then the program
 * goes on as it would without the check: to its own handler, or to its end.
 */
#ifndef BELAY_CHECK_HOST_ACCESS_H
#define BELAY_CHECK_HOST_ACCESS_H

/* Makes our handlers the ones that are called first, if a program has put others before them. Does nothing
 * while no block is guarded. */
void host_access_take_signals(void);

#endif
