/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Scanning with rooms: what is text is read here, a character at a time, so that what does not fit is known
 * before it is written; all else is libc's, a conversion at a time.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "securec.h"

/* Either a string or a file. */
struct source {
    const char *text; /* where it stands */
    FILE *file;
    size_t consumed;
};

/* One conversion of a format. */
struct conversion {
    bool is_suppressed;
    bool is_long;  /* l: of text, wide */
    size_t width;  /* 0: none is given */
    size_t length; /* of the modifiers */
    char modifiers[4];
    char kind;
    const char *set; /* of %[, behind the bracket */
    const char *end; /* what follows in the format */
};

enum outcome { DONE, NO_MATCH, NO_INPUT };

static int next(struct source *source)
{
    int character = source->file != NULL    ? getc(source->file)
                    : *source->text != '\0' ? (unsigned char)*source->text++
                                            : EOF;
    source->consumed += character != EOF;
    return character;
}

static void put_back(struct source *source, int character)
{
    if (character == EOF)
        return;
    if (source->file != NULL)
        ungetc(character, source->file);
    else
        source->text--;
    source->consumed--;
}

static void skip_spaces(struct source *source)
{
    int character;
    do
        character = next(source);
    while (character != EOF && isspace(character));
    put_back(source, character);
}

/* at is behind the percent sign; false for what is no conversion. */
static bool read_conversion(const char *at, struct conversion *found)
{
    *found = (struct conversion){.is_suppressed = *at == '*'};
    at += found->is_suppressed;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (found->width < SECUREC_STRING_MAX_LEN / 10)
            found->width = found->width * 10 + (size_t)(*at - '0');
    }
    while (*at != '\0' && strchr("hljztLq", *at) != NULL && found->length < 2) {
        found->is_long = found->is_long || *at == 'l';
        found->modifiers[found->length++] = *at++;
    }
    found->kind = *at;
    if (*at == '\0' || strchr("diouxXaAeEfFgGpncs[", *at) == NULL)
        return false;
    at++;
    if (found->kind == '[') {
        found->set = at;
        at += *at == '^';
        at += *at == ']';
        at += strcspn(at, "]");
        if (*at == '\0')
            return false;
        at++;
    }
    found->end = at;
    return true;
}

/* Whether %[ takes the character. */
static bool is_in_set(const char *set, int character)
{
    bool is_negated = *set == '^', is_found = false;
    const char *first = set + is_negated, *at = first;
    for (; at == first || *at != ']'; at++) {
        if (at[0] != '\0' && at[1] == '-' && at[2] != ']' && at[2] != '\0') {
            is_found = is_found || (character >= (unsigned char)at[0] && character <= (unsigned char)at[2]);
            at += 2;
        } else {
            is_found = is_found || character == (unsigned char)*at;
        }
    }
    return is_found != is_negated;
}

static bool takes(const struct conversion *conversion, int character)
{
    return conversion->kind == 'c'   ? true
           : conversion->kind == 's' ? !isspace(character)
                                     : is_in_set(conversion->set, character);
}

/* %c, %s and %[ into room bytes at dest, which is NULL where the conversion is suppressed. */
static enum outcome read_text(struct source *source, const struct conversion *conversion, char *dest,
                              size_t room)
{
    size_t most = conversion->width != 0 ? conversion->width : conversion->kind == 'c' ? 1 : SIZE_MAX;
    size_t ending = conversion->kind == 'c' ? 0 : 1, count = 0;
    int character = 0;
    if (conversion->kind == 's')
        skip_spaces(source);
    for (; count < most && (character = next(source)) != EOF; count++) {
        if (!takes(conversion, character)) {
            put_back(source, character);
            break;
        }
        if (dest != NULL && count + ending >= room) {
            put_back(source, character);
            if (room > 0)
                dest[0] = '\0';
            return NO_MATCH;
        }
        if (dest != NULL)
            dest[count] = (char)character;
    }
    if (count == 0)
        return character == EOF ? NO_INPUT : NO_MATCH;
    if (dest != NULL && ending != 0)
        dest[count] = '\0';
    return DONE;
}

/* The formats are made here, of conversions that were looked at. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* A number or an address, by libc. */
static enum outcome read_number(struct source *source, const struct conversion *conversion, void *dest)
{
    char format[40], width[24] = "";
    int taken = -1, result;
    if (conversion->width != 0)
        snprintf(width, sizeof width, "%zu", conversion->width);
    snprintf(format, sizeof format, "%%%s%s%s%c%%n", conversion->is_suppressed ? "*" : "", width,
             conversion->modifiers, conversion->kind);
    if (source->file != NULL)
        result = conversion->is_suppressed ? fscanf(source->file, format, &taken)
                                           : fscanf(source->file, format, dest, &taken);
    else
        result = conversion->is_suppressed ? sscanf(source->text, format, &taken)
                                           : sscanf(source->text, format, dest, &taken);
    if (taken < 0)
        return result == EOF ? NO_INPUT : NO_MATCH;
    source->consumed += (size_t)taken;
    if (source->file == NULL)
        source->text += taken;
    return DONE;
}

/* %n, in the type that its modifiers say. */
static void store_consumed(const struct source *source, const struct conversion *conversion, void *dest)
{
    size_t count = source->consumed;
    if (dest == NULL)
        return;
    if (strcmp(conversion->modifiers, "hh") == 0)
        *(signed char *)dest = (signed char)count;
    else if (strcmp(conversion->modifiers, "h") == 0)
        *(short *)dest = (short)count;
    else if (conversion->length == 0)
        *(int *)dest = (int)count;
    else /* l, ll, j, z, t, q: all of 64 bits here */
        *(int64_t *)dest = (int64_t)count;
}

/* What does not stand in a conversion: spaces, and characters that must be there. */
static enum outcome match(struct source *source, int wanted)
{
    if (isspace(wanted)) {
        skip_spaces(source);
        return DONE;
    }
    int character = next(source);
    if (character == wanted)
        return DONE;
    put_back(source, character);
    return character == EOF ? NO_INPUT : NO_MATCH;
}

static int scan(struct source *source, const char *format, va_list arguments)
{
    int assigned = 0;
    bool has_converted = false;
    enum outcome outcome = DONE;
    while (*format != '\0' && outcome == DONE) {
        struct conversion conversion;
        if (format[0] != '%' || format[1] == '%') {
            if (format[0] == '%')
                skip_spaces(source);
            outcome = match(source, (unsigned char)*format);
            format += format[0] == '%' ? 2 : 1;
            continue;
        }
        if (!read_conversion(format + 1, &conversion))
            break;
        format = conversion.end;
        bool is_text = conversion.kind == 'c' || conversion.kind == 's' || conversion.kind == '[';
        void *dest = conversion.is_suppressed ? NULL : va_arg(arguments, void *);
        size_t room = is_text && !conversion.is_suppressed ? va_arg(arguments, size_t) : 0;
        if (conversion.kind == 'n') {
            store_consumed(source, &conversion, dest);
            continue;
        }
        if ((dest == NULL && !conversion.is_suppressed) || (is_text && conversion.is_long))
            break;
        outcome =
            is_text ? read_text(source, &conversion, dest, room) : read_number(source, &conversion, dest);
        has_converted = has_converted || outcome == DONE;
        assigned += outcome == DONE && !conversion.is_suppressed;
    }
    return outcome == NO_INPUT && !has_converted ? EOF : assigned;
}

int vsscanf_s(const char *text, const char *format, va_list arguments)
{
    struct source source = {.text = text};
    return text != NULL && format != NULL ? scan(&source, format, arguments) : EOF;
}

int vfscanf_s(FILE *file, const char *format, va_list arguments)
{
    struct source source = {.file = file};
    return file != NULL && format != NULL ? scan(&source, format, arguments) : EOF;
}

int vscanf_s(const char *format, va_list arguments)
{
    return vfscanf_s(stdin, format, arguments);
}

int sscanf_s(const char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsscanf_s(text, format, arguments);
    va_end(arguments);
    return count;
}

int fscanf_s(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vfscanf_s(file, format, arguments);
    va_end(arguments);
    return count;
}

int scanf_s(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vscanf_s(format, arguments);
    va_end(arguments);
    return count;
}
