/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Looks at a kernel's text: lines, blocks, values, and the lines of Python.
 */
#include "tools/triton/text.h"

#include <stdlib.h>
#include <string.h>

const char *statement_end(const char *line)
{
    const char *end = line + strcspn(line, "\n");
    const char *mark = strstr(line, PLACE_MARK);
    return mark != NULL && mark < end ? mark : end;
}

/* The name of a block, which stands less deep than its statements. */
static bool is_label(const char *line)
{
    return line[strspn(line, " ")] == '^';
}

const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line[0] != '\0' && line[1] != '\0' ? line + 1 : NULL;
}

const char *scope_end(const char *line)
{
    const size_t depth = strspn(line, " ");
    const char *next = next_line(line);
    while (next != NULL && (strspn(next, " ") >= depth || *next == '\n' || is_label(next)))
        next = next_line(next);
    return next != NULL ? next : line + strlen(line);
}

/* An operation with a body has its mark where the body ends. */
static const char *marked_line(const char *line)
{
    const size_t depth = strspn(line, " ");
    const char *end = statement_end(line), *at = line;
    if (end == line || end[-1] != '{')
        return line;
    do
        at = next_line(at);
    while (at != NULL && (strspn(at, " ") > depth || is_label(at)));
    return at != NULL ? at : line;
}

void place_of(const char *line, char place[PLACE_BYTES])
{
    const char *end = statement_end(marked_line(line));
    const size_t mark = strlen(PLACE_MARK);
    const bool is_there = strncmp(end, PLACE_MARK, mark) == 0;
    snprintf(place, PLACE_BYTES, "%.*s", is_there ? (int)strcspn(end + mark, "\n") : 0,
             is_there ? end + mark : "");
}

const char *in_statement(const char *line, const char *words)
{
    const char *found = strstr(line, words);
    return found != NULL && found < statement_end(line) ? found : NULL;
}

size_t value_length(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_#$.";
    return *text == '%' ? 1 + strspn(text + 1, letters) : 0;
}

void copy_value(const char *text, char value[NAME_BYTES])
{
    snprintf(value, NAME_BYTES, "%.*s", (int)value_length(text), text);
}

unsigned count_uses(const char *from, const char *to, const char *value, const char **first)
{
    const size_t length = strlen(value);
    unsigned count = 0;
    *first = NULL;
    for (const char *at = from; (at = strstr(at, value)) != NULL && at < to; at += length)
        if (value_length(at) == length && count++ == 0)
            *first = at;
    while (*first != NULL && *first > from && (*first)[-1] != '\n')
        --*first;
    return count;
}

const char *definition_of(const char *text, const char *from, const char *value)
{
    const size_t length = strlen(value);
    size_t depth = strspn(from, " ");
    while (from > text) {
        do
            from--;
        while (from > text && from[-1] != '\n');
        const size_t spaces = strspn(from, " ");
        if (spaces > depth || is_label(from)) /* the first: of a block that has ended */
            continue;
        depth = spaces;
        if (strncmp(from + spaces, value, length) == 0 && value_length(from + spaces) == length)
            return from;
    }
    return NULL;
}

size_t type_length(const char *text)
{
    size_t length = 0;
    int depth = 0;
    for (; text[length] != '\0' && text[length] != '\n'; length++) {
        const char c = text[length];
        if (depth == 0 && (c == ',' || c == ' ' || c == ')'))
            break;
        depth += strchr("<[(", c) != NULL ? 1 : strchr(">])", c) != NULL ? -1 : 0;
    }
    return length;
}

const char *llvm_type(const char *type)
{
    return strcmp(type, "f32") == 0    ? "float"
           : strcmp(type, "f64") == 0  ? "double"
           : strcmp(type, "f16") == 0  ? "half"
           : strcmp(type, "bf16") == 0 ? "bfloat"
                                       : type;
}

/* Behind the bracket that closes the one at text; brackets in strings do not count. */
static const char *behind_location(const char *text)
{
    int depth = 0;
    bool is_string = false;
    for (; *text != '\0' && *text != '\n'; text++) {
        if (*text == '\\' && is_string && text[1] != '\0')
            text++;
        else if (*text == '"')
            is_string = !is_string;
        else if (!is_string) {
            depth += *text == '(' ? 1 : *text == ')' ? -1 : 0;
            if (depth == 0)
                return text + 1;
        }
    }
    return text;
}

/* The definition of an alias, `#loc3 = loc(...)`: behind the equals sign. NULL when there is none. */
static const char *alias_of(const char *text, const char *name, size_t length)
{
    for (const char *at = text; at != NULL; at = next_line(at))
        if (strncmp(at, name, length) == 0 && strncmp(at + length, " = ", 3) == 0)
            return at + length + 3;
    return NULL;
}

/* Writes "file.py:12" for what is in the brackets of a location; the innermost of several. False for one that is
 * not known. */
static bool write_place(const char *text, const char *location, unsigned depth, FILE *to)
{
    const char *end = behind_location(location + strcspn(location, "(\n"));
    for (const char *at = location; at < end; at++) {
        if (*at == '#' && depth < 8) {
            const size_t length = strcspn(at, " ),>]\n");
            const char *alias = alias_of(text, at, length);
            if (alias != NULL && write_place(text, alias, depth + 1, to))
                return true;
        }
        if (*at != '"')
            continue;
        const char *name = at + 1, *close = name + strcspn(name, "\"\n");
        if (*close == '"' && close[1] == ':') {
            for (const char *slash = name; slash < close; slash++)
                if (*slash == '/')
                    name = slash + 1;
            fprintf(to, "%.*s:%.*s", (int)(close - name), name, (int)strspn(close + 2, "0123456789"),
                    close + 2);
            return true;
        }
        at = close;
    }
    return false;
}

static void write_line(const char *text, const char *line, FILE *to)
{
    static const char location[] = " loc(";
    const char *end = line + strcspn(line, "\n"), *last = NULL;
    for (const char *found; (found = strstr(line, location)) != NULL && found < end;) {
        fwrite(line, 1, (size_t)(found - line), to);
        last = found + 1;
        line = behind_location(found + strlen(location) - 1);
    }
    fwrite(line, 1, (size_t)(end - line), to);
    if (last != NULL) {
        char *place = NULL;
        size_t bytes;
        FILE *file = open_memstream(&place, &bytes);
        if (file != NULL) {
            const bool is_known = write_place(text, last, 0, file);
            fclose(file);
            if (is_known)
                fprintf(to, PLACE_MARK "%s", place);
            free(place);
        }
    }
    fputc('\n', to);
}

char *text_with_marks(const char *text)
{
    char *marked = NULL;
    size_t bytes;
    FILE *to = open_memstream(&marked, &bytes);
    if (to == NULL)
        return NULL;
    for (const char *line = text; line != NULL; line = next_line(line))
        if (strncmp(line, "#loc", 4) != 0)
            write_line(text, line, to);
    return fclose(to) == 0 ? marked : NULL;
}
