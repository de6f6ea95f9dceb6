/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A kernel's text in MLIR, as its printer writes it: a statement a line, indented by its depth. A line may end with
 * PLACE_MARK and the line of Python that it comes from.
 */
#ifndef BELAY_TOOLS_TRITON_TEXT_H
#define BELAY_TOOLS_TRITON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PLACE_MARK " //@ "

enum { NAME_BYTES = 64, VIEW_BYTES = 256, PLACE_BYTES = 160 };

/* The text with its locations, loc(...), as such marks: owned by the caller; NULL without memory. */
char *text_with_marks(const char *text);

/* Where the statement that begins at line ends: at the mark, at the end of the line or of the text. */
const char *statement_end(const char *line);

/* The line behind this one; NULL behind the last one. */
const char *next_line(const char *line);

/* Where the block ends that the statement at line stands in: the first line that is indented less. */
const char *scope_end(const char *line);

/* What the line's mark says, "kernel.py:12", or an empty string. */
void place_of(const char *line, char place[PLACE_BYTES]);

/* Whether the statement has the words, which are looked for nowhere else. */
const char *in_statement(const char *line, const char *words);

/* The name of a value, "%12" or "%alloc_3", that begins at text: its length; 0 where there is none. */
size_t value_length(const char *text);

/* Copies it, without what does not fit; an empty string where there is none. */
void copy_value(const char *text, char value[NAME_BYTES]);

/* How many times the value is named from one place of the text to another one; the line of the first. */
unsigned count_uses(const char *from, const char *to, const char *value, const char **first);

/* The line that defines the value, looked for upwards from the line before `from`; NULL for an argument. */
const char *definition_of(const char *text, const char *from, const char *value);

/* The type that begins at text, with its brackets: its length. */
size_t type_length(const char *text);

/* What LLVM calls the type of a number. */
const char *llvm_type(const char *type);

#endif
