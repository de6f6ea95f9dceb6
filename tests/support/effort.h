/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How much of what is drawn at random, or could be enumerated, a test tries: a sample that takes seconds, or
 * so many times it as TEST_EFFORT says (8: scripts/test.sh long; a fraction: where another pass has tried the
 * sample already).
 */
#ifndef BELAY_TESTS_SUPPORT_EFFORT_H
#define BELAY_TESTS_SUPPORT_EFFORT_H

#include <stdlib.h>

static inline double effort(void)
{
    const char *text = getenv("TEST_EFFORT");
    const double number = text != NULL ? strtod(text, NULL) : 1;
    return number > 0 ? number : 1;
}

/* At least 1. */
static inline int times_effort(int sample)
{
    const int tries = (int)(sample * effort());
    return tries > 0 ? tries : 1;
}

/* Of what is enumerated every so manieth, at least 1: less often the greater the effort. */
static inline int stride_of_effort(int sample)
{
    const int stride = (int)(sample / effort());
    return stride > 0 ? stride : 1;
}

#endif
