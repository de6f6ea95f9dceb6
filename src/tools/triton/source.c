/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads what a kernel's text says of it, and writes the function that runs it.
 */
#include "tools/triton/source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(const char *what, const char *where)
{
    fprintf(stderr, "bishengir-compile: %s%s%s\n", what, *where != '\0' ? ": " : "", where);
    return false;
}

/* Behind the brackets that open at text. */
static const char *behind_brackets(const char *text)
{
    int depth = 0;
    do {
        depth += strchr("(<{[", *text) != NULL                      ? 1
                 : strchr(")>}]", *text) != NULL && text[-1] != '-' ? -1
                                                                    : 0;
        text++;
    } while (depth > 0 && *text != '\0');
    return text;
}

/* Where the argument that begins at text ends: at a comma or at the bracket that closes the list. */
static const char *behind_argument(const char *text)
{
    while (*text != '\0' && *text != ',' && *text != ')')
        text = strchr("(<{[", *text) != NULL ? behind_brackets(text) : text + 1;
    return text;
}

/* One argument: `%arg2: memref<?xf32> {tt.tensor_kind = 0 : i32}`. */
static bool read_argument(const char *text, const char *end, struct kernel_argument *argument)
{
    const char *type = memchr(text, ':', (size_t)(end - text));
    if (type == NULL)
        return refuse("an argument has no type", "");
    for (type++; *type == ' '; type++)
        continue;
    argument->is_pointer = strncmp(type, "memref<", 7) == 0;
    if (argument->is_pointer) {
        static const char kind[] = "tt.tensor_kind = ";
        const char *at = strstr(type, kind);
        argument->use = at != NULL && at < end ? (uint32_t)strtoul(at + strlen(kind), NULL, 10)
                                               : HOST_KERNEL_READS_AND_WRITES;
        return true;
    }
    const size_t length = strcspn(type, " ,{)");
    if (length >= TYPE_BYTES)
        return refuse("an argument has a type that launchers do not pass", "");
    memcpy(argument->type, type, length);
    argument->type[length] = '\0';
    return true;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* Pointers and what has 64 bits lie at multiples of 8, all else at multiples of 4: the rule of the launchers that
 * triton-ascend makes. Floats of 16 bits are passed as FLOAT. */
static void place_arguments(struct kernel_source *source)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i + ARGUMENTS_OF_GRID < source->argument_count; i++) {
        struct kernel_argument *argument = &source->argument[i];
        const bool is_wide = argument->is_pointer || ends_with(argument->type, "64");
        const uint32_t alignment = is_wide ? 8 : 4;
        at = (at + alignment - 1) / alignment * alignment;
        argument->at = at;
        at += strcmp(argument->type, "i8") == 0 ? 1 : strcmp(argument->type, "i16") == 0 ? 2 : alignment;
    }
    source->grid_at = source->argument[source->argument_count - ARGUMENTS_BEHIND].at;
    source->argument_bytes = (at + 7) / 8 * 8;
}

/* The kernel is the one function that is not private. */
static const char *find_kernel(const char *text)
{
    static const char function[] = "func.func @";
    const char *found = strstr(text, function);
    return found != NULL ? found + strlen(function) : NULL;
}

bool kernel_source_read(const char *text, struct kernel_source *source)
{
    const char *name = find_kernel(text);
    if (name == NULL)
        return refuse("the text has no kernel; a function that is not private is expected", "");
    const size_t length = strcspn(name, "(");
    if (length >= sizeof source->name)
        return refuse("the kernel's name is too long; fewer than 128 characters are expected", "");
    *source = (struct kernel_source){
        .is_serial = strstr(text, "GenericAtomicRMW") != NULL || strstr(text, "memref.atomic") != NULL ||
                     strstr(text, "AtomicCAS") != NULL || strstr(text, "AtomicXchg") != NULL};
    memcpy(source->name, name, length);
    for (const char *at = name + length + 1; *at != ')' && *at != '\0';) {
        const char *end = behind_argument(at);
        if (source->argument_count == ARGUMENTS_MAX)
            return refuse("the kernel has too many arguments; at most 512 are expected", "");
        if (!read_argument(at, end, &source->argument[source->argument_count++]))
            return false;
        at = *end == ',' ? end + 1 : end;
    }
    if (source->argument_count < ARGUMENTS_BEFORE + ARGUMENTS_BEHIND)
        return refuse(
            "the kernel has too few arguments; a lock, a workspace, the grid and the program's place in it "
            "are expected",
            source->name);
    place_arguments(source);
    return true;
}

/* Loads argument i as %v<i>, in the type of the kernel's parameter. */
static void write_load(const struct kernel_argument *argument, uint32_t i, FILE *to)
{
    const bool is_short = ends_with(argument->type, "f16");
    const bool is_truth = strcmp(argument->type, "i1") == 0;
    const char *type = argument->is_pointer ? "ptr"
                       : is_short           ? "float"
                       : is_truth           ? "i32"
                                            : llvm_type(argument->type);
    fprintf(to, "  %%p%" PRIu32 " = getelementptr i8, ptr %%a, i64 %" PRIu32 "\n", i, argument->at);
    fprintf(to, "  %%%s%" PRIu32 " = load %s, ptr %%p%" PRIu32 ", align 1\n",
            is_short || is_truth ? "w" : "v", i, type, i);
    if (is_short)
        fprintf(to, "  %%v%" PRIu32 " = fptrunc float %%w%" PRIu32 " to %s\n", i, i,
                llvm_type(argument->type));
    if (is_truth)
        fprintf(to, "  %%v%" PRIu32 " = trunc i32 %%w%" PRIu32 " to i1\n", i, i);
}

void kernel_entry_write(const struct kernel_source *source, FILE *to)
{
    const uint32_t passed = source->argument_count - ARGUMENTS_OF_GRID;
    fprintf(to, "\ndeclare void @belay_kernel_end()\n"
                "define void @" HOST_KERNEL_ENTRY "(ptr %%a, i32 %%x, i32 %%y, i32 %%z) {\n");
    for (uint32_t i = 0; i < passed; i++)
        write_load(&source->argument[i], i, to);
    fprintf(to, "  call void @%s(", source->name);
    for (uint32_t i = 0; i < passed; i++)
        if (source->argument[i].is_pointer) /* a memref of rank 1 whose size nobody asks for */
            fprintf(to, "ptr %%v%" PRIu32 ", ptr %%v%" PRIu32 ", i64 0, i64 0, i64 1, ", i, i);
        else
            fprintf(to, "%s %%v%" PRIu32 ", ", llvm_type(source->argument[i].type), i);
    fprintf(to, "i32 %%x, i32 %%y, i32 %%z)\n"
                "  call void @belay_kernel_end()\n"
                "  ret void\n"
                "}\n");
}
