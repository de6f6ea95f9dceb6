/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How much of what is drawn at random, or could be enumerated, a test tries: a sample that takes seconds, or
 * so many times it as TEST_EFFORT says (scripts/test.sh long).
 */
#ifndef BELAY_TESTS_SUPPORT_EFFORT_H
#define BELAY_TESTS_SUPPORT_EFFORT_H

#include <stdlib.h>

static inline int times_effort(int sample)
{
    const char *effort = getenv("TEST_EFFORT");
    return sample * (effort != NULL && atoi(effort) > 0 ? atoi(effort) : 1);
}

/* Of what is enumerated every so manieth, at least 1: less often the greater the effort. */
static inline int stride_of_effort(int sample)
{
    int stride = sample / times_effort(1);
    return stride > 0 ? stride : 1;
}

#endif
