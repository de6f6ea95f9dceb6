/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The distance of names, row by row.
 */
#include "base/name_distance.h"

#include <string.h>

unsigned name_distance(const char *from, const char *to)
{
    if (strlen(from) >= NAME_DISTANCE_LETTERS || strlen(to) >= NAME_DISTANCE_LETTERS)
        return NAME_IS_FAR;
    /* Distances of the prefixes of from that end here, one letter before and two before, to each prefix of
     * to. */
    unsigned rows[3][NAME_DISTANCE_LETTERS];
    size_t columns = strlen(to);
    for (unsigned i = 0; i <= columns; i++)
        rows[0][i] = i;
    unsigned row = 0;
    for (; from[row]; row++) {
        const unsigned *above = rows[row % 3], *two_above = rows[(row + 2) % 3];
        unsigned *here = rows[(row + 1) % 3];
        here[0] = row + 1;
        for (size_t i = 0; i < columns; i++) {
            unsigned least = above[i] + (from[row] != to[i]);
            least = above[i + 1] + 1 < least ? above[i + 1] + 1 : least;
            least = here[i] + 1 < least ? here[i] + 1 : least;
            if (row > 0 && i > 0 && from[row] == to[i - 1] && from[row - 1] == to[i] &&
                two_above[i - 1] + 1 < least)
                least = two_above[i - 1] + 1;
            here[i + 1] = least;
        }
    }
    return rows[row % 3][columns];
}

void nearest_name_try(struct nearest_name *nearest, const char *name)
{
    enum { LETTERS_MOST = 2, BEGINNING = 3 };
    const size_t word = strlen(nearest->word);
    unsigned distance = name_distance(nearest->word, name);
    if (distance > LETTERS_MOST || distance >= word || distance >= strlen(name))
        distance =
            word >= BEGINNING && strncmp(nearest->word, name, word) == 0 ? LETTERS_MOST + 1 : NAME_IS_FAR;
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->name = name;
    }
}
