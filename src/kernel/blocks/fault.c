/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is wrong in a kernel, and ends it.
 */
#include "kernel/blocks/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/blocks/run.h"

enum { PLACE_BYTES = 64 };

/* "block 3, add.asc:42": the file without its folders; only the block where it is not known. */
static void name_place(const struct core *core, const char *file, unsigned line, char *text, size_t bytes)
{
    char name[PLACE_BYTES];
    run_name_core(core, name, sizeof name);
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    if (file != NULL)
        snprintf(text, bytes, "%s, %.100s:%u", name, slash != NULL ? slash + 1 : file, line);
    else
        snprintf(text, bytes, "%s", name);
}

void fault_write(const struct core *core, const char *file, unsigned line, char *text, size_t bytes,
                 const char *format, va_list arguments)
{
    name_place(core, file, line, text, bytes);
    const size_t length = strlen(text);
    snprintf(text + length, bytes - length, ": ");
    const size_t place = strlen(text);
    vsnprintf(text + place, bytes - place, format, arguments);
}

void belay_kernel_fault(const char *file, unsigned line, const char *format, ...)
{
    struct core *core = core_running();
    char sentence[RUN_SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    if (core == NULL) {
        fprintf(stderr, "belay: %s:%u: outside of a kernel: ", file != NULL ? file : "?", line);
        vfprintf(stderr, format, arguments);
        fprintf(stderr, "\n");
        abort(); /* there is nothing that could fail in its place */
    }
    fault_write(core, file, line, sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    run_blame(core->run, core, sentence);
    core->state = CORE_GOES_ON;
    core_leave(core);
    abort(); /* nobody steps it again */
}
