/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rounds: functions that draw a call by names, run it and judge what comes out; and the hash of all that came out.
 * Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_ROUNDS_H
#define BELAY_TESTS_OPS_ROUNDS_H

#include "ops/named_call.h"
#include "support/effort.h"

static uint64_t trial_hash; /* of all results so far */

/* The end of a call that was judged. */
static inline void finish_named(struct named_call *call)
{
    trial_hash = hash_named(call, trial_hash);
    end_named(call);
}

/* Each round of a list, which NULL ends. */
static inline void run_rounds(void (*const *round)(void))
{
    for (; *round != NULL; round++)
        (*round)();
}

/* So many times, by the effort. */
static inline void try_rounds(void (*const *round)(void), int times)
{
    for (int i = 0; i < times_effort(times); i++)
        run_rounds(round);
}

/* Once: the body of assert_same_everywhere. */
static inline uint64_t hash_of_rounds(void (*const *round)(void))
{
    trial_hash = UINT64_C(0xcbf29ce484222325);
    run_rounds(round);
    return trial_hash;
}

#endif
