/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Texts that grow, and lists of arguments for programs.
 */
#ifndef BELAY_TOOLS_ASCENDC_TEXT_H
#define BELAY_TOOLS_ASCENDC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* realloc, which says that there is no memory and ends the program, which is a command; so do all that add. */
void *memory_grow(void *data, size_t bytes);

/* Begins as {0}; data is owned, and ends with a 0 once anything was added. */
struct text {
    char *data;
    size_t length, room;
};

void text_add(struct text *text, const char *data, size_t length);
void text_add_string(struct text *text, const char *string);
void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The bytes of a file; false when it cannot be read. */
bool text_read(struct text *text, const char *path);

/* False when it cannot be written. */
bool text_write(const struct text *text, const char *path);

/* Strings up to NULL, as a program gets them; each is copied. Begins as {0}. */
struct words {
    char **word;
    size_t count, room;
};

void words_add(struct words *words, const char *word);
void words_print(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_add_all(struct words *words, const struct words *more);
bool words_have(const struct words *words, const char *word);

#endif
