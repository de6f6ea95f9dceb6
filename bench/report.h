/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The results as tables for people (Markdown, one per section and number of threads) and as JSON for
 * machines.
 */
#ifndef BELAY_BENCH_REPORT_H
#define BELAY_BENCH_REPORT_H

#include <stdio.h>

#include "machine.h"
#include "peer.h"
#include "row.h"

struct report {
    struct machine machine;
    struct machine_use use; /* during the run */
    const char *command, *version;
    struct peers peers;
    const struct rows *rows;
};

void report_tables(const struct report *report, FILE *out);
void report_json(const struct report *report, FILE *out);

#endif
