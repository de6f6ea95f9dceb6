/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the figures were measured on.
 */
#ifndef BELAY_BENCH_MACHINE_H
#define BELAY_BENCH_MACHINE_H

#include <stdbool.h>

struct machine {
    char processor[128], levels[64], topology[128], huge_pages[64], kernel[128];
    int processors;     /* that this process may use */
    bool shares_a_core; /* two of them are threads of one core */
    double clock_ghz;   /* from a chain of dependent additions */
    double load;        /* average of the last minute: other work that the processors had */
    long page_bytes, last_cache_bytes;
    char date[32];
};

struct machine machine_read(void);

#endif
