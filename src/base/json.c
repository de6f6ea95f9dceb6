/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads JSON by yyjson, which knows no limit of nesting.
 */
#include "base/json.h"

#include <stdbool.h>

/* How much of the text comes before the bracket that goes too deep; all of it without one. Where the text is
 * no JSON brackets may be counted wrongly, but it has a fault before that. */
static size_t shallow_length(const char *text, size_t length)
{
    bool is_string = false;
    int depth = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            is_string = !is_string;
        else if (is_string)
            i += text[i] == '\\';
        else if (text[i] == ']' || text[i] == '}')
            depth--;
        else if ((text[i] == '[' || text[i] == '{') && ++depth > JSON_DEPTH_MAX)
            return i;
    }
    return length;
}

yyjson_doc *json_read(const char *text, size_t length, struct json_fault *fault)
{
    const size_t shallow = shallow_length(text, length);
    yyjson_read_err error;
    size_t character;
    *fault = (struct json_fault){NULL, 0, 0};
    /* Without YYJSON_READ_INSITU it leaves the text alone. */
    yyjson_doc *document = yyjson_read_opts((char *)text, shallow, YYJSON_READ_NUMBER_AS_RAW, NULL, &error);
    if (document != NULL || error.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION)
        return document;
    /* The first fault of a text that ends too early is its end, where the bracket is. */
    fault->what = shallow < length && error.pos >= shallow ? "nesting of more than 10 levels" : error.msg;
    yyjson_locate_pos(text, length, error.pos, &fault->line, &fault->column, &character);
    return NULL;
}
