/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What belay check says at the end: the summary, and the document that --json asks for.
 */
#ifndef BELAY_TOOLS_CHECK_REPORT_H
#define BELAY_TOOLS_CHECK_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "check/board.h"

/* Prints the summary and returns the number of reports. */
uint64_t check_summarise(struct board *board);

/* Writes all reports to the file at path as JSON (docs/checker.md); false after a complaint. status is the
 * exit status of the program. */
bool check_write_json(struct board *board, const char *path, int status);

#endif
