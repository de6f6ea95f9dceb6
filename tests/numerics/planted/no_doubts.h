/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A planted fault: the fast ways believe what they are told to doubt.
 */
#include "simd/maths/unsettled.h"

static inline bool never_unsettled(struct unsettled unsettled)
{
    (void)unsettled;
    return false;
}

#define any_unsettled never_unsettled
