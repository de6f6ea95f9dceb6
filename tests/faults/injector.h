/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Makes what the libraries ask of the system fail. The libraries' own objects are linked with --wrap, so that
 * their calls, and no others, come here: each is a point, numbered in the order of the calls.
 */
#ifndef BELAY_TESTS_FAULTS_INJECTOR_H
#define BELAY_TESTS_FAULTS_INJECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/handle.h"

enum point_class { POINT_MEMORY, POINT_MAPPING, POINT_THREAD, POINT_FILE, POINT_CLASSES };

/* From here on points are counted, and the one of that ordinal fails, or it and all later ones. 0: none. */
void injector_arm(uint64_t ordinal, bool for_ever);

/* Points pass again; the number of points since injector_arm. */
uint64_t injector_disarm(void);

/* How many points have failed, and the name of the first call that did. */
uint64_t injector_failed(const char **call);

/* Points since the start of the process, while armed, by class. */
uint64_t injector_points(enum point_class point_class);

/* What the libraries hold at the moment. */
struct holdings {
    int64_t blocks;   /* of malloc and its relatives */
    int64_t mappings; /* of mmap */
    int64_t files;
    int64_t slots[HANDLE_KINDS]; /* acquired and not released; one that a thread keeps counts */
};

struct holdings injector_holdings(void);

#endif
