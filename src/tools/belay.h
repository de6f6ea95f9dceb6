/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The verbs of the belay command: one file each.
 */
#ifndef BELAY_TOOLS_BELAY_H
#define BELAY_TOOLS_BELAY_H

/* How the command ends, besides 0: what was asked for was refused or failed; it was not understood. */
enum { STATUS_REFUSED = 1, STATUS_USAGE = 2 };

/*
 * A verb gets the words from itself on (argv[0] is "belay run", for its messages) and returns the exit status
 * of the process. It prints results to standard output and complaints to standard error.
 */
typedef int verb_function(int argc, char **argv);

verb_function verb_run, verb_check, verb_trace, verb_info, verb_prefix, verb_ops, verb_eval;

/*
 * One line on standard error, the newline included. Control characters, which may come from names on the
 * line, are shown as \xHH, so that they neither command a terminal nor forge a line; print names with %.256s.
 */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Standard output's errors come late and are easily missed; 0, or STATUS_REFUSED with a complaint. */
int finish_output(const char *verb);

#endif
