/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How far a misspelt name is from one that there is, and which of several it may mean.
 */
#ifndef BELAY_BASE_NAME_DISTANCE_H
#define BELAY_BASE_NAME_DISTANCE_H

#include <stddef.h>

#include "base/export.h"

enum { NAME_DISTANCE_LETTERS = 128, NAME_IS_FAR = 1000 };

/* How many letters must be added, left out, replaced or swapped with the next to make one of the other.
 * NAME_IS_FAR where one of the two has NAME_DISTANCE_LETTERS or more. */
unsigned name_distance(const char *from, const char *to) SHARED(name_distance);

/* The name that a misspelt word may mean, among those that are tried: the first of the nearest, no more than two
 * letters away and not all of them, or else one that begins with the word. NULL where none is. */
struct nearest_name {
    const char *word, *name;
    unsigned distance;
};

static inline struct nearest_name nearest_name_to(const char *word)
{
    return (struct nearest_name){word, NULL, NAME_IS_FAR};
}

void nearest_name_try(struct nearest_name *nearest, const char *name) SHARED(nearest_name_try);

#endif
