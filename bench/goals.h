/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The file of goals: what the figures must be at least. Its format stands at its top.
 */
#ifndef BELAY_BENCH_GOALS_H
#define BELAY_BENCH_GOALS_H

#include <stdio.h>

#include "row.h"

struct verdict {
    int met, missed, unknown; /* unknown: goals that no row of this run answers */
};

/*
 * Compares each goal with all rows that it names and writes what is missed, and how many are met, to out.
 * Returns 0, or -1 with a sentence on standard error when the file cannot be read or understood.
 */
int goals_judge(const char *path, const struct rows *rows, FILE *out, struct verdict *verdict);

#endif
