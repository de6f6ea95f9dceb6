/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A scanner that goes through the text once and never beyond the end that it was given. A library would need
 * as much around it: it would have to be on every machine that builds, in a form that goes hidden into a
 * shared library, and most of it, a tree of values, is not wanted here.
 */
#include "runtime/json.h"

#include <string.h>

struct scanner {
    const char *at;
    const char *end;
    const char *fault; /* what is wrong at at; NULL while nothing is */
    int status;        /* what visit said last; scanning ends when it is not 0 */
    json_visit *visit;
    void *context;
    struct json_value object; /* the name of the member of the outermost object that is being read */
    int depth;
};

static bool scan_value(struct scanner *scanner, struct json_value *value);

static bool set_fault(struct scanner *scanner, const char *what)
{
    scanner->fault = what;
    return false;
}

static bool next_is(const struct scanner *scanner, char c)
{
    return scanner->at < scanner->end && *scanner->at == c;
}

static bool take(struct scanner *scanner, char c)
{
    bool is_there = next_is(scanner, c);
    scanner->at += is_there;
    return is_there;
}

/* The next byte is one of these; strchr would find the 0 at their end too. */
static bool next_is_of(const struct scanner *scanner, const char *bytes)
{
    return scanner->at < scanner->end && *scanner->at != '\0' && strchr(bytes, *scanner->at) != NULL;
}

static size_t skip(struct scanner *scanner, const char *bytes, size_t most)
{
    size_t count = 0;
    for (; count < most && next_is_of(scanner, bytes); count++)
        scanner->at++;
    return count;
}

static void skip_space(struct scanner *scanner)
{
    skip(scanner, " \t\r\n", SIZE_MAX);
}

/* What follows a backslash. */
static bool scan_escape(struct scanner *scanner)
{
    if (take(scanner, 'u'))
        return skip(scanner, "0123456789abcdefABCDEF", 4) == 4 ||
               set_fault(scanner, "an escape \\u without four hexadecimal digits");
    return skip(scanner, "\"\\/bfnrt", 1) == 1 || set_fault(scanner, "an unknown escape in a string");
}

/* From the opening quote to the closing one. */
static bool scan_string(struct scanner *scanner, struct json_value *string)
{
    *string = (struct json_value){JSON_STRING, scanner->at, 0};
    scanner->at++;
    while (!take(scanner, '"')) {
        if (scanner->at == scanner->end)
            return set_fault(scanner, "a string that does not end");
        if ((unsigned char)*scanner->at < 0x20)
            return set_fault(scanner, "a control character in a string");
        if (!take(scanner, '\\'))
            scanner->at++;
        else if (!scan_escape(scanner))
            return false;
    }
    string->length = (size_t)(scanner->at - string->text);
    return true;
}

static bool scan_digits(struct scanner *scanner)
{
    return skip(scanner, "0123456789", SIZE_MAX) > 0 ||
           set_fault(scanner, "a number without a digit where one belongs");
}

static bool scan_number(struct scanner *scanner)
{
    take(scanner, '-');
    if (take(scanner, '0')) {
        if (next_is_of(scanner, "0123456789"))
            return set_fault(scanner, "a number that begins with a needless 0");
    } else if (!scan_digits(scanner)) {
        return false;
    }
    if (take(scanner, '.') && !scan_digits(scanner))
        return false;
    if (skip(scanner, "eE", 1) == 0)
        return true;
    skip(scanner, "+-", 1);
    return scan_digits(scanner);
}

static bool scan_word(struct scanner *scanner, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(scanner->end - scanner->at) < length || memcmp(scanner->at, word, length) != 0)
        return set_fault(scanner, "an unknown word");
    scanner->at += length;
    return true;
}

static bool scan_member(struct scanner *scanner)
{
    struct json_member member = {.object = scanner->object};
    if (!next_is(scanner, '"'))
        return set_fault(scanner, "no name of a member where one belongs");
    if (!scan_string(scanner, &member.name))
        return false;
    skip_space(scanner);
    if (!take(scanner, ':'))
        return set_fault(scanner, "no colon behind the name of a member");
    skip_space(scanner);
    if (scanner->depth == 1)
        scanner->object = member.name;
    bool is_good = scan_value(scanner, &member.value);
    scanner->object = member.object;
    /* Of objects in arrays there is no name to show, nor of those further inside. */
    bool is_shown = scanner->depth == 1 || (scanner->depth == 2 && member.object.length > 0);
    if (is_good && is_shown)
        scanner->status = scanner->visit(scanner->context, &member);
    return is_good && scanner->status == 0;
}

/* The elements of an array or the members of an object, behind the opening bracket. */
static bool scan_items(struct scanner *scanner, char close)
{
    struct json_value ignored;
    skip_space(scanner);
    if (take(scanner, close))
        return true;
    do {
        skip_space(scanner);
        if (!(close == '}' ? scan_member(scanner) : scan_value(scanner, &ignored)))
            return false;
        skip_space(scanner);
    } while (take(scanner, ','));
    return take(scanner, close) || set_fault(scanner, "neither a comma nor a closing bracket behind a value");
}

static bool scan_container(struct scanner *scanner, char close)
{
    scanner->at++;
    if (++scanner->depth > JSON_DEPTH_MAX)
        return set_fault(scanner, "nesting of more than 10 levels");
    bool is_good = scan_items(scanner, close);
    scanner->depth--;
    return is_good;
}

static bool scan_typed(struct scanner *scanner, struct json_value *value)
{
    switch (*scanner->at) {
    case '{':
        value->type = JSON_OBJECT;
        return scan_container(scanner, '}');
    case '[':
        value->type = JSON_ARRAY;
        return scan_container(scanner, ']');
    case '"':
        return scan_string(scanner, value);
    case 'n':
        value->type = JSON_NULL;
        return scan_word(scanner, "null");
    case 't':
        value->type = JSON_TRUE;
        return scan_word(scanner, "true");
    case 'f':
        value->type = JSON_FALSE;
        return scan_word(scanner, "false");
    default:
        value->type = JSON_NUMBER;
        return next_is_of(scanner, "-0123456789") ? scan_number(scanner)
                                                  : set_fault(scanner, "no value where one belongs");
    }
}

static bool scan_value(struct scanner *scanner, struct json_value *value)
{
    const char *begin = scanner->at;
    if (begin == scanner->end)
        return set_fault(scanner, "no value where one belongs");
    bool is_good = scan_typed(scanner, value);
    value->text = begin;
    value->length = (size_t)(scanner->at - begin);
    return is_good;
}

int json_read(const char *text, size_t length, json_visit *visit, void *context, enum json_type *type,
              struct json_fault *fault)
{
    struct scanner scanner = {.at = text, .end = text + length, .visit = visit, .context = context};
    struct json_value value = {.type = JSON_NULL};
    skip_space(&scanner);
    if (scan_value(&scanner, &value)) {
        skip_space(&scanner);
        if (scanner.at != scanner.end)
            set_fault(&scanner, "something behind the end of the value");
    }
    *type = value.type;
    *fault = (struct json_fault){scanner.fault, 1, 1};
    for (const char *at = text; at < scanner.at; at++) {
        fault->line += *at == '\n';
        fault->column = *at == '\n' ? 1 : fault->column + 1;
    }
    return scanner.status;
}

bool json_is(const struct json_value *string, const char *text)
{
    size_t length = strlen(text);
    return string->type == JSON_STRING && string->length == length + 2 &&
           memcmp(string->text + 1, text, length) == 0;
}
