/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads JSON (RFC 8259) in place and shows the members that a configuration may have. Texts stay as they are
 * written: an escape in a name or a value is checked, not decoded, and other bytes than ASCII are passed on.
 */
#ifndef BELAY_RUNTIME_JSON_H
#define BELAY_RUNTIME_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_DEPTH_MAX = 10 }; /* arrays and objects inside each other, the outermost one included */

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* A part of the text: exactly the value, without space around it, a string with its quotes. */
struct json_value {
    enum json_type type;
    const char *text;
    size_t length;
};

/* A member of the outermost object, or of an object that is one of its members. */
struct json_member {
    struct json_value object; /* the name of the member that holds it; length 0 when the outermost one does */
    struct json_value name;
    struct json_value value;
};

/* Is shown a member behind those that it holds itself. What is not 0 ends the reading. */
typedef int json_visit(void *context, const struct json_member *member);

/* What is wrong, as words that follow "there is", and where, counted from 1. */
struct json_fault {
    const char *what;
    uint32_t line;
    uint32_t column; /* in bytes */
};

/*
 * Reads all of the text, which need not end with 0. The result is what visit ended it with, 0 otherwise; the
 * text is JSON if fault->what is NULL then, and *type is that of its one value.
 */
int json_read(const char *text, size_t length, json_visit *visit, void *context, enum json_type *type,
              struct json_fault *fault);

/* The string is this text, written without escapes. */
bool json_is(const struct json_value *string, const char *text);

#endif
