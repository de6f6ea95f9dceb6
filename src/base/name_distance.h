/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How far a misspelt name is from one that there is.
 */
#ifndef BELAY_BASE_NAME_DISTANCE_H
#define BELAY_BASE_NAME_DISTANCE_H

#include "base/export.h"

enum { NAME_DISTANCE_LETTERS = 128, NAME_IS_FAR = 1000 };

/* How many letters must be added, left out, replaced or swapped with the next to make one of the other.
 * NAME_IS_FAR where one of the two has NAME_DISTANCE_LETTERS or more. */
unsigned name_distance(const char *from, const char *to) SHARED(name_distance);

#endif
