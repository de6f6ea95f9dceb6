/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a kernel's text in MLIR says of it, as Triton's compiler hands it over: its name, its arguments, and the
 * functions that it calls and that the device's compiler is to know.
 */
#ifndef BELAY_TOOLS_TRITON_SOURCE_H
#define BELAY_TOOLS_TRITON_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/kernels/host_kernel.h"
#include "tools/triton/made.h"

enum { ARGUMENTS_MAX = 512, TYPE_BYTES = 8 };

struct kernel_argument {
    bool is_pointer;
    char type[TYPE_BYTES]; /* of a number: as MLIR names it */
    uint32_t use;          /* of a pointer: HOST_KERNEL_READS, ... */
    uint32_t at;           /* in what the launcher passes */
};

/*
 * The first two arguments are a lock and a workspace, the last six the grid's sizes and the program's place in
 * it; between them are the kernel's own. The launcher passes a structure of all but the last three.
 */
struct kernel_source {
    char name[HOST_KERNEL_NAME_BYTES];
    bool is_serial; /* it has atomic operations */
    uint32_t argument_count, argument_bytes, grid_at;
    struct kernel_argument argument[ARGUMENTS_MAX];
};

enum { ARGUMENTS_BEFORE = 2, ARGUMENTS_OF_GRID = 3, ARGUMENTS_BEHIND = 6 };

/* Reads the text; false, with a sentence on stderr, where it is not that of one kernel. */
bool kernel_source_read(const char *text, struct kernel_source *source);

/* Writes the text with its declarations marked, so that their functions are called by the C interface; false, with
 * a sentence on stderr, where one of them is not known. */
bool known_functions_mark(const char *text, const struct made_list *made, FILE *to);

/* Writes, in LLVM's language, what the functions declared in the text are here. */
void known_functions_write(const char *text, FILE *to);

/* Writes, in LLVM's language, the function HOST_KERNEL_ENTRY, which takes the arguments apart and calls the
 * kernel. */
void kernel_entry_write(const struct kernel_source *source, FILE *to);

#endif
