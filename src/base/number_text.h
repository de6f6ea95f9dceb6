/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers that this library has written as text, as in the programs of operators by name: with a point, whatever
 * locale the program has set.
 */
#ifndef BELAY_BASE_NUMBER_TEXT_H
#define BELAY_BASE_NUMBER_TEXT_H

#include <locale.h>
#include <stdlib.h>

/* As strtod, in the locale "C", which the C library has ready: nothing is allocated. end may be NULL. */
static inline double number_from_text(const char *text, char **end)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
    const double number = strtod(text, end);
    if (plain != (locale_t)0) {
        uselocale(before);
        freelocale(plain);
    }
    return number;
}

#endif
