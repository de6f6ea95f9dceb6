/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Two processes that time the same workload in turns, so that their ratio survives what else the machine
 * does: one and two threads (BELAY_THREADS is fixed for a process's life), or a build with and one without
 * checks.
 */
#ifndef BELAY_BENCH_LOCKSTEP_H
#define BELAY_BENCH_LOCKSTEP_H

#include "session.h"

/*
 * The child's half: answers requests on standard input with times on standard output until the input ends.
 * Its workloads are those of the section.
 */
int lockstep_serve(const struct session *session, enum section section);

/*
 * The parent's half: other is the program of the build without checks. Rows have threads as the second
 * process has.
 */
void lockstep_measure(const struct session *session, enum section section, const char *program,
                      const char *other);

#endif
