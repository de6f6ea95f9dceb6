/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A planted fault: the fast ways believe what they are told to doubt.
 */
#include "simd/doubts.h"

static inline bool never_doubtful(struct doubts doubts)
{
    (void)doubts;
    return false;
}

#define doubtful never_doubtful
