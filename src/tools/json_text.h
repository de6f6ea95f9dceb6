/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Texts in JSON that is written.
 */
#ifndef BELAY_TOOLS_JSON_TEXT_H
#define BELAY_TOOLS_JSON_TEXT_H

#include <stdio.h>

/* In quotes. Bytes beyond ASCII, which names of threads and marks can have, are taken for Latin-1. */
static inline void json_write_text(FILE *file, const char *text)
{
    putc('"', file);
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else if (*at < 0x20 || *at > 0x7e)
            fprintf(file, "\\u%04x", *at);
        else
            putc(*at, file);
    }
    putc('"', file);
}

#endif
