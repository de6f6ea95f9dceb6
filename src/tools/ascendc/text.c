/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Texts and lists of words in memory that grows.
 */
#include "tools/ascendc/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *memory_grow(void *data, size_t bytes)
{
    void *more = realloc(data, bytes);
    if (more == NULL) {
        fputs("bisheng: there is no memory left\n", stderr);
        exit(1);
    }
    return more;
}

static void make_room(struct text *text, size_t length)
{
    if (text->length + length + 1 <= text->room)
        return;
    text->room = (text->length + length + 1) * 2;
    text->data = memory_grow(text->data, text->room);
}

void text_add(struct text *text, const char *data, size_t length)
{
    make_room(text, length);
    memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_add_string(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

__attribute__((format(printf, 2, 0))) static void print_list(struct text *text, const char *format,
                                                             va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return;
    make_room(text, (size_t)length);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    text->length += (size_t)length;
}

void text_print(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_list(text, format, arguments);
    va_end(arguments);
}

bool text_read(struct text *text, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    text_add(text, "", 0);
    for (size_t got = 1; got > 0;) {
        make_room(text, 1 << 16);
        got = fread(text->data + text->length, 1, 1 << 16, file);
        text->length += got;
        text->data[text->length] = '\0';
    }
    const bool is_read = ferror(file) == 0;
    fclose(file);
    return is_read;
}

bool text_write(const struct text *text, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return false;
    const bool is_written = fwrite(text->data, 1, text->length, file) == text->length;
    return fclose(file) == 0 && is_written;
}

void words_add(struct words *words, const char *word)
{
    if (words->count + 2 > words->room) {
        words->room = words->room * 2 + 16;
        words->word = memory_grow(words->word, words->room * sizeof *words->word);
    }
    const size_t bytes = strlen(word) + 1;
    words->word[words->count++] = memcpy(memory_grow(NULL, bytes), word, bytes);
    words->word[words->count] = NULL;
}

void words_print(struct words *words, const char *format, ...)
{
    struct text word = {.data = NULL};
    va_list arguments;
    va_start(arguments, format);
    print_list(&word, format, arguments);
    va_end(arguments);
    if (word.data != NULL)
        words_add(words, word.data);
    free(word.data);
}

void words_add_all(struct words *words, const struct words *more)
{
    for (size_t i = 0; i < more->count; i++)
        words_add(words, more->word[i]);
}

bool words_have(const struct words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->word[i], word) == 0)
            return true;
    return false;
}
