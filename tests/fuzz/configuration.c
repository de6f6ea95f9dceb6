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
#include "runtime/json.h"

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

static bool read_string(struct reader *reader)
{
    if (!take(reader, '"'))
        return false;
    while (reader->at < reader->end) {
        char byte = *reader->at++;
        if (byte == '"')
            return true;
        if ((unsigned char)byte < 0x20)
            return false;
        if (byte != '\\')
            continue;
        if (reader->at == reader->end)
            return false;
        char escaped = *reader->at++;
        if (escaped != 'u' && (escaped == '\0' || strchr("\"\\/bfnrt", escaped) == NULL))
            return false;
        if (escaped == 'u') {
            if (reader->end - reader->at < 4 || hexadecimal(reader->at) < 0)
                return false;
            reader->at += 4;
        }
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

struct bounds {
    const char *first, *end;
};

/* What is shown lies in the text, and names are strings of it. */
static int visit(void *context, const struct json_member *member)
{
    const struct bounds *bounds = context;
    const struct json_value *parts[] = {&member->name, &member->value, &member->object};
    for (size_t i = 0; i < (member->object.length > 0 ? 3 : 2); i++)
        if (parts[i]->length == 0 || parts[i]->text < bounds->first ||
            parts[i]->length > (size_t)(bounds->end - parts[i]->text))
            abort();
    if (member->name.type != JSON_STRING || member->name.text[0] != '"' ||
        member->name.text[member->name.length - 1] != '"')
        abort();
    (void)json_is(&member->value, "dump");
    return 0;
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
    struct bounds bounds = {exact, exact + size};
    enum json_type type;
    struct json_fault fault;
    if (json_read(exact, size, visit, &bounds, &type, &fault) != 0)
        abort();
    bool is_good = fault.what == NULL;
    if (is_good != is_json(exact, size) || fault.line == 0 || fault.column == 0)
        abort();
    const struct settings settings = {.device_count = 2};
    struct configuration configuration;
    int status = configuration_parse(exact, size, &settings, &configuration);
    if (status != 0 && status != 100000)
        abort();
    if (status == 0 && (!is_good || configuration.default_device < -1 || configuration.default_device > 1))
        abort();
    free(exact);
}
