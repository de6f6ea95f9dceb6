/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether operators check what programs pass to them. They always do, but in the one build that the benchmark
 * compares with to tell what the checks cost (BELAY_BENCH_WITHOUT_CHECKS); nothing else may use that build.
 */
#ifndef BELAY_BASE_CHECKS_H
#define BELAY_BASE_CHECKS_H

#ifdef BELAY_BENCH_WITHOUT_CHECKS
enum { CHECKS_ARE_ON = 0 };
#else
enum { CHECKS_ARE_ON = 1 };
#endif

#endif
