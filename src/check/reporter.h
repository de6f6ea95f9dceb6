/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Prints and counts reports: those of failed calls, of which base/report.h tells, and what the checks find.
 */
#ifndef BELAY_CHECK_REPORTER_H
#define BELAY_CHECK_REPORTER_H

#include <stdbool.h>

#include "base/report.h"
#include "check/board.h"

/*
 * A report, which is printed and counted where its check was asked for. The sentence opens with the public
 * function that it is about: "aclnnAdd: ...". Reports of the same rule, function and first place are printed
 * once and counted. Any thread, signal handlers of faults too; takes no lock of the runtime.
 */
void report_finding(const struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* report_finding() for a sentence that there is, with the code of the call or the work. False where it is suppressed, or nobody has
 * asked for reports. */
bool report_show(const struct finding *finding, int code, const char *sentence);

/* What a sentence opens with, up to the colon, if that is a name. */
void report_read_function(char function[BOARD_FUNCTION_BYTES], const char *sentence);

/* From here on reports are kept, and printed to standard error; for `belay check` if path is not NULL. False
 * when the file at path is none of belay check's. */
bool report_begin(const char *path);

/* The board that belay check shares; NULL where none does. */
struct board *report_board(void);

/* A place as it may be shown: without what would change a terminal. */
void report_escape(struct place_text *text, const struct place_text *raw);

/* For the child of a fork. */
void report_after_fork(void);

#endif
