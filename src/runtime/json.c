/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One scanner serves the check and the look-ups. It never reads beyond the end that it was given, so that the
 * look-ups, which rely on a checked text, stay in bounds on any other text too.
 */
#include "runtime/json.h"

#include <string.h>

struct scanner {
    const char *at;
    const char *end;
    const char *fault; /* what is wrong at at; NULL while nothing is */
};

static bool scan_value(struct scanner *scanner, struct json_value *value, int depth);

static bool set_fault(struct scanner *scanner, const char *what)
{
    if (scanner->fault == NULL)
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

static void skip_space(struct scanner *scanner)
{
    while (next_is(scanner, ' ') || next_is(scanner, '\t') || next_is(scanner, '\n') ||
           next_is(scanner, '\r'))
        scanner->at++;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex_digit(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The four digits behind \u. */
static bool scan_unit(struct scanner *scanner, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = scanner->at < scanner->end ? hex_digit(*scanner->at) : -1;
        if (digit < 0)
            return set_fault(scanner, "an escape \\u without four hexadecimal digits");
        *unit = *unit << 4 | (uint32_t)digit;
        scanner->at++;
    }
    return true;
}

/* What follows a backslash. */
static bool scan_escape(struct scanner *scanner, uint32_t *character)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    if (scanner->at == scanner->end)
        return set_fault(scanner, "a string that does not end");
    char c = *scanner->at;
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    if (letter != NULL) {
        *character = (unsigned char)meanings[letter - letters];
        scanner->at++;
        return true;
    }
    if (!take(scanner, 'u'))
        return set_fault(scanner, "an unknown escape in a string");
    if (!scan_unit(scanner, character))
        return false;
    if (*character < 0xd800 || *character > 0xdfff)
        return true;
    /* Characters beyond U+FFFF come as two units, a high one and then a low one. */
    uint32_t low;
    if (*character > 0xdbff || !take(scanner, '\\') || !take(scanner, 'u') || !scan_unit(scanner, &low) ||
        low < 0xdc00 || low > 0xdfff)
        return set_fault(scanner, "half of a surrogate pair in a string");
    *character = 0x10000 + ((*character & 0x3ff) << 10 | (low & 0x3ff));
    return true;
}

/* A character as it stands: well-formed UTF-8, shortest form, no surrogates. */
static bool scan_plain(struct scanner *scanner, uint32_t *character)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    uint32_t lead = (unsigned char)*scanner->at;
    uint32_t behind = lead < 0x80   ? 0
                      : lead < 0xc2 ? 4
                      : lead < 0xe0 ? 1
                      : lead < 0xf0 ? 2
                      : lead < 0xf5 ? 3
                                    : 4;
    if (lead < 0x20)
        return set_fault(scanner, "a control character in a string");
    if (behind > 3 || (size_t)(scanner->end - scanner->at) <= behind)
        return set_fault(scanner, "a string that is not UTF-8");
    uint32_t bits = behind == 0 ? lead : lead & (0x3fu >> behind);
    for (uint32_t i = 1; i <= behind; i++) {
        uint32_t next = (unsigned char)scanner->at[i];
        if ((next & 0xc0) != 0x80)
            return set_fault(scanner, "a string that is not UTF-8");
        bits = bits << 6 | (next & 0x3f);
    }
    if (bits < least[behind] || (bits >= 0xd800 && bits <= 0xdfff) || bits > 0x10ffff)
        return set_fault(scanner, "a string that is not UTF-8");
    *character = bits;
    scanner->at += behind + 1;
    return true;
}

/* One character of a string, up to and without the closing quote: *is_end. */
static bool scan_character(struct scanner *scanner, uint32_t *character, bool *is_end)
{
    *is_end = take(scanner, '"');
    if (*is_end)
        return true;
    if (scanner->at == scanner->end)
        return set_fault(scanner, "a string that does not end");
    return take(scanner, '\\') ? scan_escape(scanner, character) : scan_plain(scanner, character);
}

static bool scan_string(struct scanner *scanner)
{
    uint32_t character;
    bool is_end = false;
    scanner->at++;
    while (!is_end) {
        if (!scan_character(scanner, &character, &is_end))
            return false;
    }
    return true;
}

static bool scan_digits(struct scanner *scanner)
{
    if (scanner->at == scanner->end || !is_digit(*scanner->at))
        return set_fault(scanner, "a number without a digit where one belongs");
    while (scanner->at < scanner->end && is_digit(*scanner->at))
        scanner->at++;
    return true;
}

static bool scan_number(struct scanner *scanner)
{
    take(scanner, '-');
    if (take(scanner, '0')) {
        if (scanner->at < scanner->end && is_digit(*scanner->at))
            return set_fault(scanner, "a number that begins with a needless 0");
    } else if (!scan_digits(scanner)) {
        return false;
    }
    if (take(scanner, '.') && !scan_digits(scanner))
        return false;
    if (take(scanner, 'e') || take(scanner, 'E')) {
        if (!take(scanner, '+'))
            take(scanner, '-');
        return scan_digits(scanner);
    }
    return true;
}

static bool scan_word(struct scanner *scanner, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(scanner->end - scanner->at) < length || memcmp(scanner->at, word, length) != 0)
        return set_fault(scanner, "an unknown word");
    scanner->at += length;
    return true;
}

/* The elements of an array or the members of an object, behind the opening bracket. */
static bool scan_items(struct scanner *scanner, char close, int depth)
{
    struct json_value ignored;
    if (depth > JSON_DEPTH_MAX)
        return set_fault(scanner, "nesting of more than 10 levels");
    skip_space(scanner);
    if (take(scanner, close))
        return true;
    do {
        skip_space(scanner);
        if (close == '}') {
            if (!next_is(scanner, '"'))
                return set_fault(scanner, "no name of a member where one belongs");
            if (!scan_string(scanner))
                return false;
            skip_space(scanner);
            if (!take(scanner, ':'))
                return set_fault(scanner, "no colon behind the name of a member");
            skip_space(scanner);
        }
        if (!scan_value(scanner, &ignored, depth))
            return false;
        skip_space(scanner);
    } while (take(scanner, ','));
    if (take(scanner, close))
        return true;
    return set_fault(scanner, "neither a comma nor a closing bracket behind a value");
}

static bool scan_value(struct scanner *scanner, struct json_value *value, int depth)
{
    const char *begin = scanner->at;
    bool is_good;
    if (begin == scanner->end)
        return set_fault(scanner, "no value where one belongs");
    switch (*begin) {
    case '{':
        scanner->at++;
        value->type = JSON_OBJECT;
        is_good = scan_items(scanner, '}', depth + 1);
        break;
    case '[':
        scanner->at++;
        value->type = JSON_ARRAY;
        is_good = scan_items(scanner, ']', depth + 1);
        break;
    case '"':
        value->type = JSON_STRING;
        is_good = scan_string(scanner);
        break;
    case 'n':
        value->type = JSON_NULL;
        is_good = scan_word(scanner, "null");
        break;
    case 't':
        value->type = JSON_TRUE;
        is_good = scan_word(scanner, "true");
        break;
    case 'f':
        value->type = JSON_FALSE;
        is_good = scan_word(scanner, "false");
        break;
    default:
        if (*begin != '-' && !is_digit(*begin))
            return set_fault(scanner, "no value where one belongs");
        value->type = JSON_NUMBER;
        is_good = scan_number(scanner);
        break;
    }
    value->text = begin;
    value->length = (size_t)(scanner->at - begin);
    return is_good;
}

bool json_check(const char *text, size_t length, struct json_value *value, struct json_fault *fault)
{
    struct scanner scanner = {text, text + length, NULL};
    skip_space(&scanner);
    bool is_good = scan_value(&scanner, value, 0);
    if (is_good) {
        skip_space(&scanner);
        if (scanner.at != scanner.end)
            is_good = set_fault(&scanner, "something behind the end of the value");
    }
    if (is_good)
        return true;
    *fault = (struct json_fault){scanner.fault, 1, 1};
    for (const char *at = text; at < scanner.at; at++) {
        fault->line += *at == '\n';
        fault->column = *at == '\n' ? 1 : fault->column + 1;
    }
    return false;
}

/* True when the string that the scanner stands at is name; moves behind it. */
static bool is_name(struct scanner *scanner, const char *name)
{
    bool is_same = true, is_end = false;
    struct scanner wanted = {name, name + strlen(name), NULL};
    scanner->at++;
    for (;;) {
        uint32_t character = 0, wanted_character = 0;
        if (!scan_character(scanner, &character, &is_end))
            return false;
        if (is_end)
            return is_same && wanted.at == wanted.end;
        is_same = is_same && wanted.at < wanted.end && scan_plain(&wanted, &wanted_character) &&
                  character == wanted_character;
    }
}

bool json_member(struct json_value object, const char *name, struct json_value *member)
{
    bool is_found = false;
    if (object.type != JSON_OBJECT)
        return false;
    struct scanner scanner = {object.text + 1, object.text + object.length, NULL};
    skip_space(&scanner);
    while (next_is(&scanner, '"')) {
        struct json_value value;
        bool is_wanted = is_name(&scanner, name);
        skip_space(&scanner);
        take(&scanner, ':');
        skip_space(&scanner);
        if (!scan_value(&scanner, &value, 0))
            break;
        if (is_wanted)
            *member = value;
        is_found |= is_wanted;
        skip_space(&scanner);
        take(&scanner, ',');
        skip_space(&scanner);
    }
    return is_found;
}

static size_t encode_utf8(uint32_t character, char bytes[4])
{
    if (character < 0x80) {
        bytes[0] = (char)character;
        return 1;
    }
    size_t count = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = count - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (character & 0x3f));
        character >>= 6;
    }
    bytes[0] = (char)((0xf00u >> count & 0xf0) | character);
    return count;
}

bool json_string(struct json_value value, char *string, size_t bytes)
{
    if (value.type != JSON_STRING)
        return false;
    struct scanner scanner = {value.text + 1, value.text + value.length, NULL};
    size_t used = 0;
    for (;;) {
        uint32_t character = 0;
        bool is_end;
        char encoded[4];
        if (!scan_character(&scanner, &character, &is_end))
            return false;
        if (is_end)
            break;
        size_t count = encode_utf8(character, encoded);
        if (character == 0 || used + count >= bytes)
            return false;
        memcpy(string + used, encoded, count);
        used += count;
    }
    if (used >= bytes)
        return false;
    string[used] = '\0';
    return true;
}

bool json_integer(struct json_value value, int64_t *integer)
{
    int64_t sum = 0;
    if (value.type != JSON_NUMBER)
        return false;
    bool is_negative = value.text[0] == '-';
    for (size_t i = is_negative; i < value.length; i++) {
        /* Built on the negative side, which reaches further. */
        if (!is_digit(value.text[i]) || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_sub_overflow(sum, value.text[i] - '0', &sum))
            return false;
    }
    if (!is_negative && sum == INT64_MIN)
        return false;
    *integer = is_negative ? sum : -sum;
    return true;
}
