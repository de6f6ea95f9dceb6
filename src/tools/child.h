/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program that a verb runs beside itself, to have the last word.
 */
#ifndef BELAY_TOOLS_CHILD_H
#define BELAY_TOOLS_CHILD_H

/*
 * Runs argv and waits for its end. How it ended, as shells put it: its status, or 128 and the number of the
 * signal that ended it, which has been said then; 126 after a complaint when it could not be waited for. Where
 * told is not NULL it is called once where a signal asks for the program's end: when it has come and gone on to the
 * program, or has ended it.
 */
int child_run(const char *verb, char **argv, void (*told)(int signal));

#endif
