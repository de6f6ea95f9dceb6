/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Fuzzes the reader of aclInit's configuration: the bytes are the file. A second reader says what is JSON and
 * what is not, and both must agree.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "runtime/init.h"
#include "base/json.h"

struct reader {
    const char *at, *end;
    int depth, deepest;
};

static void skip_space(struct reader *reader)
{
    while (reader->at < reader->end && memchr(" \t\r\n", *reader->at, 4) != NULL)
        reader->at++;
}

static bool take(struct reader *reader, char wanted)
{
    if (reader->at == reader->end || *reader->at != wanted)
        return false;
    reader->at++;
    return true;
}

static size_t take_digits(struct reader *reader)
{
    const char *first = reader->at;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9')
        reader->at++;
    return (size_t)(reader->at - first);
}

static bool read_number(struct reader *reader)
{
    take(reader, '-');
    if (!take(reader, '0') && take_digits(reader) == 0)
        return false;
    if (take(reader, '.') && take_digits(reader) == 0)
        return false;
    if (take(reader, 'e') || take(reader, 'E')) {
        if (!take(reader, '+'))
            take(reader, '-');
        return take_digits(reader) > 0;
    }
    return true;
}

static int hexadecimal(const char *at)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = at[i] != '\0' ? strchr(digits, at[i]) : NULL;
        if (digit == NULL)
            return -1;
        value = value * 16 + (int)(digit - digits) % 16;
    }
    return value;
}

/* Behind a backslash; a surrogate is the first half of a pair, and the second one follows. */
static bool read_escape(struct reader *reader)
{
    if (reader->at == reader->end)
        return false;
    char escaped = *reader->at++;
    if (escaped != 'u')
        return escaped != '\0' && strchr("\"\\/bfnrt", escaped) != NULL;
    int unit = reader->end - reader->at >= 4 ? hexadecimal(reader->at) : -1;
    if (unit < 0)
        return false;
    if (unit < 0xd800 || unit > 0xdfff) {
        reader->at += 4;
        return true;
    }
    if (unit > 0xdbff || reader->end - reader->at < 10 || reader->at[4] != '\\' || reader->at[5] != 'u')
        return false;
    unit = hexadecimal(reader->at + 6);
    reader->at += 10;
    return unit >= 0xdc00 && unit <= 0xdfff;
}

/* The rest of a character of several bytes: the shortest form, of what is a character at all. */
static bool read_utf8(struct reader *reader, unsigned first)
{
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    unsigned least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
    unsigned value = first & (0x3fu >> more);
    if (first < 0xc0 || first > 0xf7 || reader->end - reader->at < more)
        return false;
    for (int i = 0; i < more; i++) {
        unsigned byte = (unsigned char)*reader->at++;
        if (byte >> 6 != 2)
            return false;
        value = value << 6 | (byte & 0x3f);
    }
    return value >= least && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
}

static bool read_string(struct reader *reader)
{
    if (!take(reader, '"'))
        return false;
    while (reader->at < reader->end) {
        unsigned char byte = (unsigned char)*reader->at++;
        if (byte == '"')
            return true;
        if (byte < 0x20 || (byte == '\\' && !read_escape(reader)) ||
            (byte >= 0x80 && !read_utf8(reader, byte)))
            return false;
    }
    return false;
}

/* Deeper nesting is not followed: both readers refuse it. */
static bool read_value(struct reader *reader);

static bool read_members(struct reader *reader, char close, bool has_names)
{
    reader->at++;
    skip_space(reader);
    if (take(reader, close))
        return true;
    for (;;) {
        skip_space(reader);
        if (has_names) {
            if (!read_string(reader))
                return false;
            skip_space(reader);
            if (!take(reader, ':'))
                return false;
        }
        if (!read_value(reader))
            return false;
        skip_space(reader);
        if (take(reader, close))
            return true;
        if (!take(reader, ','))
            return false;
    }
}

static bool read_word(struct reader *reader, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static bool read_value(struct reader *reader)
{
    skip_space(reader);
    if (reader->at == reader->end)
        return false;
    char first = *reader->at;
    if (first == '{' || first == '[') {
        if (++reader->depth > JSON_DEPTH_MAX)
            return false;
        bool is_good = read_members(reader, first == '{' ? '}' : ']', first == '{');
        reader->depth--;
        return is_good;
    }
    return first == '"'   ? read_string(reader)
           : first == 't' ? read_word(reader, "true")
           : first == 'f' ? read_word(reader, "false")
           : first == 'n' ? read_word(reader, "null")
                          : read_number(reader);
}

static bool is_json(const char *text, size_t length)
{
    struct reader reader = {.at = text, .end = text + length};
    if (!read_value(&reader))
        return false;
    skip_space(&reader);
    return reader.at == reader.end;
}

/* All values: of kinds that there are, with texts that end with 0, and not deeper than allowed. */
static void check(yyjson_val *value, int depth)
{
    size_t i, count;
    yyjson_val *name, *found;
    if (depth > JSON_DEPTH_MAX + 1 || value == NULL)
        abort();
    const char *text = yyjson_is_raw(value) ? yyjson_get_raw(value) : yyjson_get_str(value);
    if (text != NULL ? text[yyjson_get_len(value)] != '\0'
                     : !yyjson_is_ctn(value) && !yyjson_is_null(value) && !yyjson_is_bool(value))
        abort();
    yyjson_arr_foreach(value, i, count, found) check(found, depth + 1);
    if (yyjson_is_obj(value))
        yyjson_obj_foreach(value, i, count, name, found)
        {
            if (!yyjson_is_str(name))
                abort();
            check(name, depth + 1);
            check(found, depth + 1);
        }
}

void fuzz_begin(void)
{
}

void fuzz_one(const uint8_t *data, size_t size)
{
    /* Exactly as large as the text, so that a sanitizer sees a read past its end. */
    char *text = (char *)malloc(size + 1);
    if (text == NULL)
        return;
    memcpy(text, data, size);
    char *exact = (char *)realloc(text, size > 0 ? size : 1);
    struct json_fault fault;
    yyjson_doc *document = json_read(exact, size, &fault);
    bool is_good = document != NULL;
    if (is_good != is_json(exact, size) ||
        (!is_good && (fault.what == NULL || fault.line == 0 || fault.column == 0)))
        abort();
    if (is_good)
        check(yyjson_doc_get_root(document), 1);
    yyjson_doc_free(document);
    const struct settings settings = {.device_count = 2};
    struct configuration configuration;
    int status = configuration_parse(exact, size, &settings, &configuration);
    if (status != 0 && status != 100000)
        abort();
    if (status == 0 && (!is_good || configuration.default_device < -1 || configuration.default_device > 1))
        abort();
    free(exact);
}
