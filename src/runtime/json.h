/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads JSON (RFC 8259) in place: a text is checked once as a whole, and values are then looked up in it
 * without any memory of their own.
 */
#ifndef BELAY_RUNTIME_JSON_H
#define BELAY_RUNTIME_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_DEPTH_MAX = 10 }; /* arrays and objects inside each other, the outermost one included */

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* A part of a checked text: exactly the value, without space around it. Lives as long as the text. */
struct json_value {
    enum json_type type;
    const char *text;
    size_t length;
};

/* What is wrong, as words that follow "there is", and where, counted from 1. */
struct json_fault {
    const char *what;
    uint32_t line;
    uint32_t column; /* in bytes */
};

/* Checks all of the text; it need not end with 0. On success *value is its one value. */
bool json_check(const char *text, size_t length, struct json_value *value, struct json_fault *fault);

/* The member of an object that has this name, the last one of several; false without one. */
bool json_member(struct json_value object, const char *name, struct json_value *member);

/* Decodes a string. False when it is none, does not fit with its end, or holds U+0000. */
bool json_string(struct json_value value, char *string, size_t bytes);

/* A number that is written as an integer and fits. */
bool json_integer(struct json_value value, int64_t *integer);

#endif
