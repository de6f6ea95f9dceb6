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
    double begin_s;     /* of CLOCK_MONOTONIC, and the processor time that all processes had had by then */
    double busy_s;
    long page_bytes, last_cache_bytes;
    char date[32];
};

struct machine machine_read(void);

/*
 * What the machine did since machine_read: seconds, and which share of the processors' time went to other
 * programs, 0 to 1; negative when the system does not tell. For a process whose children have been waited
 * for.
 */
struct machine_use {
    double seconds, others;
};
struct machine_use machine_use_since(const struct machine *machine);

#endif
