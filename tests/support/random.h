/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers that look random and are the same in every run.
 */
#ifndef BELAY_TESTS_SUPPORT_RANDOM_H
#define BELAY_TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

/* The next of the row that the state is of, which is anything but 0. */
static inline uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* For one thread. */
static inline uint64_t random_bits(void)
{
    static uint64_t state = 88172645463325252u;
    return random_next(&state);
}

/* 0 to below - 1. */
static inline int64_t random_below(int64_t below)
{
    return (int64_t)(random_bits() % (uint64_t)below);
}

#endif
