/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What an attribute of an operator by name is where a call does not give it: what its program says behind '='
 * or first in braces (ops/by_name/program.h), so that it stands in one place. Kinds without a program, and
 * attributes that decide by what the call is about, have a row here.
 */
#include "runtime/named/attribute_default.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *kind, *name, *text;
} rows[] = {{"Unique", "out_idx", "3"},           /* INT32 */
            {"ArgMaxV2", "dtype", "9"},           /* INT64 */
            {"ArgMinV2", "dtype", "9"},           /* INT64 */
            {"DynamicRNN", "activation", "tanh"}, /* of the gate that is not a sigmoid */
            {"DynamicGRUV2", "activation", "tanh"}};

static bool is_of_word(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

void attribute_default(const struct named_operator *named, const char *name,
                       char text[ATTRIBUTE_DEFAULT_BYTES])
{
    const size_t length = strlen(name);
    text[0] = '\0';
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].kind, named->name) == 0 && strcmp(rows[i].name, name) == 0) {
            snprintf(text, ATTRIBUTE_DEFAULT_BYTES, "%s", rows[i].text);
            return;
        }
    for (const char *at = named->program; at != NULL && (at = strstr(at, name)) != NULL; at += length) {
        const bool is_whole = length > 0 && (at == named->program || !is_of_word(at[-1]));
        if (is_whole && (at[length] == '=' || at[length] == '{')) {
            const char *value = at + length + 1;
            snprintf(text, ATTRIBUTE_DEFAULT_BYTES, "%.*s", (int)strcspn(value, " ,;:}"), value);
            return;
        }
        if (length == 0)
            return;
    }
}
