/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads tokens.
 */
#include "tools/ascendc/tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tools/ascendc/text.h"

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static void add(struct tokens *tokens, enum token_kind kind, size_t at, size_t end)
{
    if (tokens->count == tokens->room) {
        tokens->room = tokens->room * 2 + 1024;
        tokens->token = memory_grow(tokens->token, tokens->room * sizeof *tokens->token);
    }
    tokens->token[tokens->count++] = (struct token){kind, at, end - at};
}

/* Behind a string or character that begins at `at`. */
static size_t end_of_quoted(const char *text, size_t at)
{
    const char quote = text[at++];
    while (text[at] != '\0' && text[at] != quote && text[at] != '\n')
        at += text[at] == '\\' && text[at + 1] != '\0' ? 2 : 1;
    return at + (text[at] == quote);
}

/* Behind R"x(...)x", whose quote is at `at`. */
static size_t end_of_raw(const char *text, size_t at)
{
    char end[32] = ")";
    size_t length = 1;
    for (at++; text[at] != '\0' && text[at] != '(' && length < sizeof end - 2; at++)
        end[length++] = text[at];
    end[length++] = '"';
    const char *found = strstr(text + at, end);
    return found != NULL ? (size_t)(found - text) + length : strlen(text);
}

static bool begins_string(const char *text, size_t begin, size_t end)
{
    static const char *const prefixes[] = {"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strlen(prefixes[i]) == end - begin && strncmp(prefixes[i], text + begin, end - begin) == 0)
            return text[end] == '"' || (text[end] == '\'' && strchr(prefixes[i], 'R') == NULL);
    return false;
}

/* Numbers have letters, points, quotes between digits, and signs behind exponents. */
static size_t end_of_number(const char *text, size_t at)
{
    while (is_of_word(text[at]) || text[at] == '.' || (text[at] == '\'' && is_of_word(text[at + 1])) ||
           ((text[at] == '+' || text[at] == '-') && strchr("eEpP", text[at - 1]) != NULL))
        at++;
    return at;
}

/* Behind what is no token: spaces, comments, lines that begin with #. */
static size_t skip(const char *text, size_t at, bool *begins_line)
{
    for (;;) {
        if (text[at] == '\n') {
            *begins_line = true;
            at++;
        } else if (isspace((unsigned char)text[at])) {
            at++;
        } else if (text[at] == '#' && *begins_line) {
            while (text[at] != '\0' && text[at] != '\n')
                at += text[at] == '\\' && text[at + 1] != '\0' ? 2 : 1;
        } else if (text[at] == '/' && text[at + 1] == '/') {
            while (text[at] != '\0' && text[at] != '\n')
                at++;
        } else if (text[at] == '/' && text[at + 1] == '*') {
            const char *end = strstr(text + at + 2, "*/");
            at = end != NULL ? (size_t)(end + 2 - text) : strlen(text);
        } else {
            return at;
        }
    }
}

void tokens_read(struct tokens *tokens, const char *text)
{
    bool begins_line = true;
    *tokens = (struct tokens){.text = text};
    for (size_t at = skip(text, 0, &begins_line); text[at] != '\0'; at = skip(text, at, &begins_line)) {
        const size_t begin = at;
        enum token_kind kind = TOKEN_MARK;
        begins_line = false;
        if (isdigit((unsigned char)text[at]) || (text[at] == '.' && isdigit((unsigned char)text[at + 1]))) {
            kind = TOKEN_NUMBER;
            at = end_of_number(text, at + 1);
        } else if (is_of_word(text[at])) {
            kind = TOKEN_WORD;
            while (is_of_word(text[at]))
                at++;
            if (begins_string(text, begin, at)) {
                kind = TOKEN_STRING;
                at = text[at - 1] == 'R' ? end_of_raw(text, at) : end_of_quoted(text, at);
            }
        } else if (text[at] == '"' || text[at] == '\'') {
            kind = TOKEN_STRING;
            at = end_of_quoted(text, at);
        } else {
            at++;
        }
        add(tokens, kind, begin, at);
    }
}

void tokens_free(struct tokens *tokens)
{
    free(tokens->token);
    *tokens = (struct tokens){.text = NULL};
}

bool token_is(const struct tokens *tokens, size_t at, const char *text)
{
    return at < tokens->count && tokens->token[at].length == strlen(text) &&
           memcmp(tokens->text + tokens->token[at].at, text, tokens->token[at].length) == 0;
}

bool tokens_are(const struct tokens *tokens, size_t at, char mark, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (at + i >= tokens->count || tokens->token[at + i].kind != TOKEN_MARK ||
            tokens->text[tokens->token[at + i].at] != mark ||
            tokens->token[at + i].at != tokens->token[at].at + i)
            return false;
    return true;
}

static char mark_at(const struct tokens *tokens, size_t at)
{
    return tokens->token[at].kind == TOKEN_MARK ? tokens->text[tokens->token[at].at] : '\0';
}

size_t token_closing(const struct tokens *tokens, size_t at)
{
    size_t depth = 0;
    for (; at < tokens->count; at++) {
        const char mark = mark_at(tokens, at);
        if (mark == '(' || mark == '[' || mark == '{')
            depth++;
        else if ((mark == ')' || mark == ']' || mark == '}') && --depth == 0)
            return at;
    }
    return at;
}

size_t token_opening(const struct tokens *tokens, size_t at)
{
    size_t depth = 0;
    for (;; at--) {
        const char mark = mark_at(tokens, at);
        if (mark == ')' || mark == ']' || mark == '}')
            depth++;
        else if ((mark == '(' || mark == '[' || mark == '{') && --depth == 0)
            return at;
        if (at == 0)
            return 0;
    }
}

size_t token_opening_angle(const struct tokens *tokens, size_t at)
{
    size_t depth = 0;
    for (;; at--) {
        const char mark = mark_at(tokens, at);
        if (mark == '>')
            depth++;
        else if (mark == '<' && --depth == 0)
            return at;
        else if (mark == ')' || mark == ']' || mark == '}')
            at = token_opening(tokens, at);
        if (at == 0 || mark == ';' || mark == '{')
            return 0;
    }
}

size_t token_closing_angle(const struct tokens *tokens, size_t at)
{
    size_t depth = 0;
    for (; at < tokens->count; at++) {
        const char mark = mark_at(tokens, at);
        if (mark == '<')
            depth++;
        else if (mark == '>' && --depth == 0)
            return at;
        else if (mark == '(' || mark == '[' || mark == '{')
            at = token_closing(tokens, at);
    }
    return at;
}
