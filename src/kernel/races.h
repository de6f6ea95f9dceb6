/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Races between the programs of one launch: which program has written and read each byte, as the programs say that
 * are run one after the other.
 */
#ifndef BELAY_KERNEL_RACES_H
#define BELAY_KERNEL_RACES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/view.h"

struct races;

/* NULL when there is no memory. */
struct races *races_new(void);
void races_free(struct races *races);

/* Two programs that have used the same byte, one of which has written it. */
struct race {
    const unsigned char *address;
    uint64_t other; /* the program that came first */
    bool is_store, was_store;
};

/* A program accesses all elements of a view. True, with the race, where another program has been there. */
bool races_access(struct races *races, const struct view *view, bool is_store, uint64_t program,
                  struct race *race);

#endif
