/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Faults that a program is run with: those of the line and of files, and the report at its end.
 */
#ifndef BELAY_TOOLS_FAULTS_H
#define BELAY_TOOLS_FAULTS_H

#include <stdbool.h>

#include "tools/complete.h"

/* All zero: none. text is malloc's. */
struct asked_faults {
    char *text;
};

/* Adds WHEN:WHAT, or what the file behind "@" holds; false after a complaint. */
bool faults_add(struct asked_faults *faults, const char *verb, const char *argument);

/* Adds what BELAY_FAULT asks for where the line asks for nothing, and no command around this one reports it. */
bool faults_add_environment(struct asked_faults *faults, const char *verb);

/*
 * Runs the program with the faults and prints what came of them to the file, or for NULL to standard error. The
 * exit status of the command: the program's, or, where that is 0, STATUS_REFUSED if one did not come.
 */
int faults_run(const struct asked_faults *faults, const char *verb, char **program, const char *report);

/* Offers events. */
void faults_complete(struct completion *completion);

#endif
