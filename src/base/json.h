/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * JSON (RFC 8259) as third_party/yyjson reads it, strictly, and no deeper than files for aclInit may be. Who
 * reads walks the values by the functions of yyjson.h, which take NULL and values of other kinds for nothing.
 */
#ifndef BELAY_BASE_JSON_H
#define BELAY_BASE_JSON_H

#include <stddef.h>
#include <string.h>

#include "base/export.h"
#include "yyjson.h"

enum { JSON_DEPTH_MAX = 10 }; /* arrays and objects inside each other, the outermost one included */

struct json_fault {
    const char *what; /* NULL where memory is what lacks */
    size_t line;      /* both from 1 */
    size_t column;    /* in characters */
};

/*
 * All of the text, which need not end with 0, for yyjson_doc_free to free; NULL and the first fault. Strings
 * are decoded, numbers as they are written (yyjson_get_raw). While it reads it takes at most some 20 bytes of
 * memory for each byte of text.
 */
yyjson_doc *json_read(const char *text, size_t length, struct json_fault *fault) SHARED(json_read);

/* The only member with this name; NULL without one, and with several. */
static inline yyjson_val *json_only(yyjson_val *object, const char *name)
{
    yyjson_val *found, *only = NULL;
    yyjson_obj_iter iterator = yyjson_obj_iter_with(object);
    while ((found = yyjson_obj_iter_next(&iterator)) != NULL) {
        if (!yyjson_equals_str(found, name))
            continue;
        if (only != NULL)
            return NULL;
        only = yyjson_obj_iter_get_val(found);
    }
    return only;
}

/* What a string says; NULL of anything else, and of one with a 0 in it. */
static inline const char *json_text(yyjson_val *value)
{
    const char *text = yyjson_get_str(value);
    return text != NULL && strlen(text) == yyjson_get_len(value) ? text : NULL;
}

#endif
