/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A row that a program loads, outside of loops and branches, is read where it lies, if the kernel only reads it, element
 * by element, before it may have written to any tensor: the copy into memory of the program's own, which the text has,
 * would cost as much as all the rest of a sum of vectors. The text is that of loops over memory.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/triton/rewrite.h"

enum { READS_MAX = 256 };

/* A copy that is not made: whoever loads from `own` has `name` from its line on to the end of its block. */
struct read {
    char own[NAME_BYTES];
    unsigned number; /* of the made function */
    const char *end;
};

struct reading {
    const char *text;
    struct made_list *made;
    struct read read[READS_MAX];
    unsigned count;
};

static size_t depth_of(const char *line)
{
    return strspn(line, " ");
}

/* What stands behind the value that a statement defines, if it does. */
static const char *operation_of(const char *line)
{
    const char *at = line + depth_of(line);
    const size_t length = value_length(at);
    return length > 0 && strncmp(at + length, " = ", 3) == 0 ? at + length + 3 : at;
}

static bool begins(const char *text, const char *words)
{
    return strncmp(text, words, strlen(words)) == 0;
}

/* The made function that a statement calls; NULL where it calls none. Within loops and branches, where a call is written
 * func.call, none is found: what they check stays as it is. */
static const struct made *called(const struct reading *work, const char *line)
{
    static const char call[] = "call @belay_made_";
    const char *at = operation_of(line);
    const unsigned long number = begins(at, call) ? strtoul(at + strlen(call), NULL, 10) : work->made->count;
    return number < work->made->count ? &work->made->made[number] : NULL;
}

/* Whether a statement writes to no memory but the program's own. */
static bool writes_no_tensor(const struct reading *work, const char *line)
{
    static const char *const harmless[] = {"arith.",
                                           "math.",
                                           "index.",
                                           "affine.apply",
                                           "memref.load ",
                                           "memref.alloc()",
                                           "memref.subview ",
                                           "memref.reinterpret_cast ",
                                           "memref.cast ",
                                           "memref.collapse_shape ",
                                           "memref.expand_shape ",
                                           "memref.dim ",
                                           "call @__hmf_", /* maths of numbers */
                                           "func.call @__hmf_",
                                           "scf.for ",
                                           "scf.if ",
                                           "scf.yield",
                                           "}"};
    const char *operation = operation_of(line);
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        if (begins(operation, harmless[i]))
            return true;
    const struct made *made = called(work, line);
    if (made != NULL)
        return made->kind == MADE_CHECK_LOAD || made->kind == MADE_CHECK_STORE ||
               made->kind == MADE_LOAD_INSIDE;
    if (!begins(operation, "memref.store ") && !begins(operation, "memref.copy "))
        return false;
    char to[NAME_BYTES];
    const char *second = strchr(operation, ',');
    copy_value(second != NULL ? second + 2 : "", to);
    return to[0] != '\0' && is_own_memory(work->text, line, to);
}

/*
 * Whether the memory is used as it has to be: before the copy only written to, behind it, within the block, only
 * loaded from. `last` is the line of the last load.
 */
static bool is_only_read(const char *alloc, const char *copy, const char *own, const char *target,
                         const char **last)
{
    const char *const end = scope_end(alloc), *const block_end = scope_end(copy);
    const char *use;
    char defined[NAME_BYTES], to[NAME_BYTES];
    unsigned left = count_uses(next_line(alloc), end, own, &use);
    *last = NULL;
    for (const char *line = next_line(alloc); left > 0; line = next_line(line)) {
        const char *next = next_line(line);
        const unsigned uses = count_uses(line, next != NULL ? next : line + strlen(line), own, &use);
        const char *operation = operation_of(line);
        left -= uses;
        if (uses == 0 || line == copy)
            continue;
        if (uses > 1)
            return false;
        copy_value(line + depth_of(line), defined);
        if (line < copy && begins(operation, "memref.store ")) {
            const char *second = strchr(operation, ',');
            copy_value(second != NULL ? second + 2 : "", to);
            if (strcmp(to, own) != 0)
                return false;
        } else if (begins(operation, "memref.subview ")) {
            if (strcmp(defined, target) != 0 || line > copy || count_uses(next, end, target, &use) != 1)
                return false;
        } else if (line > copy && line < block_end && begins(operation, "memref.load ")) {
            *last = line;
        } else {
            return false;
        }
    }
    return *last != NULL;
}

/* Whether no tensor is written between the copy and the end of the last statement of its block that loads. */
static bool is_read_first(const struct reading *work, const char *copy, const char *last)
{
    for (const char *line = next_line(copy); line != NULL; line = next_line(line)) {
        if (!writes_no_tensor(work, line))
            return false;
        if (line >= last && depth_of(line) <= depth_of(copy) && in_statement(line, " else {") == NULL)
            return true;
    }
    return false;
}

/* A type of one dim whose elements lie side by side. */
static bool is_row(const char *type, bool has_layout)
{
    const char *layout = strstr(type, ", strided<[1]");
    return begins(type, "memref<") && element_of(type).rank == 1 && element_of(type).bytes != 0 &&
           (has_layout ? layout != NULL && layout < type + type_length(type)
                       : strcspn(type, ",") > type_length(type));
}

/* Notes the copy behind the check at line, and writes the call that stands for both; false where they stay. */
static bool read_in_place(struct reading *work, const char *checks, FILE *to)
{
    const char *line = next_line(checks);
    const struct made *check = called(work, checks);
    if (line == NULL || check == NULL ||
        check->kind != MADE_CHECK_LOAD) /* what is the program's own has none */
        return false;
    char view[NAME_BYTES], checked_view[NAME_BYTES], target[NAME_BYTES], own[NAME_BYTES];
    const char *operation = operation_of(line), *types = in_statement(line, " : memref<"), *last;
    if (!begins(operation, "memref.copy ") || types == NULL || work->count == READS_MAX)
        return false;
    const char *first = operation + strlen("memref.copy ");
    copy_value(first, view);
    copy_value(first + value_length(first) + 2, target);
    copy_value(strchr(checks, '(') + 1, checked_view);
    if (view[0] == '\0' || strcmp(view, checked_view) != 0 || !is_row(types + 3, true))
        return false;
    snprintf(own, sizeof own, "%s", target);
    const char *definition = definition_of(work->text, line, own);
    if (definition != NULL && begins(operation_of(definition), "memref.subview ")) {
        const char *of = operation_of(definition) + strlen("memref.subview ");
        copy_value(of, own);
        if (!begins(of + value_length(of), "[0] ") || in_statement(definition, " [1] : ") == NULL)
            return false;
        definition = definition_of(work->text, definition, own);
    }
    const char *type = definition != NULL ? in_statement(definition, " : memref<") : NULL;
    if (type == NULL || !begins(operation_of(definition), "memref.alloc()") || !is_row(type + 3, false) ||
        memchr(type + 3, '?', type_length(type + 3)) != NULL ||
        !is_only_read(definition, line, own, target, &last) || !is_read_first(work, line, last))
        return false;
    const ptrdiff_t checked = check - work->made->made;
    const unsigned number = made_add(work->made, MADE_READ, "");
    if (work->made->is_full)
        return false;
    struct made *made = &work->made->made[number];
    memcpy(made->place, work->made->made[checked].place, sizeof made->place);
    snprintf(made->type[0], VIEW_BYTES, "%.*s", (int)type_length(types + 3), types + 3);
    snprintf(made->type[1], VIEW_BYTES, "%.*s", (int)type_length(type + 3), type + 3);
    fprintf(to, "%*s%%belay_read_%u = func.call @belay_made_%u(%s, %s) : (%s, %s) -> %s\n",
            (int)depth_of(line), "", number, number, view, own, made->type[0], made->type[1], made->type[1]);
    struct read *read = &work->read[work->count++];
    *read = (struct read){.number = number, .end = scope_end(line)};
    memcpy(read->own, own, sizeof own);
    return true;
}

/* A statement, with the name of what is read in place where it loads from that. */
static void write_statement(const struct reading *work, const char *line, FILE *to)
{
    static const char load[] = "memref.load ";
    const char *end = line + strcspn(line, "\n"), *operation = operation_of(line);
    char own[NAME_BYTES] = "";
    if (begins(operation, load))
        copy_value(operation + strlen(load), own);
    for (unsigned i = work->count; own[0] != '\0' && i-- > 0;) {
        const struct read *read = &work->read[i];
        const char *of = operation + strlen(load), *behind = of + strlen(own);
        if (line < read->end && strcmp(own, read->own) == 0) {
            fprintf(to, "%.*s%%belay_read_%u%.*s\n", (int)(of - line), line, read->number,
                    (int)(end - behind), behind);
            return;
        }
    }
    fprintf(to, "%.*s\n", (int)(end - line), line);
}

char *kernel_read_in_place(const char *text, struct made_list *made)
{
    char *written = NULL;
    size_t bytes;
    struct reading *work = malloc(sizeof *work);
    FILE *to = work != NULL ? open_memstream(&written, &bytes) : NULL;
    const unsigned known = made->count;
    if (to == NULL) {
        free(work);
        return NULL;
    }
    *work = (struct reading){.text = text, .made = made};
    for (const char *line = text; line != NULL; line = next_line(line)) {
        if (*line == '}') /* the module's end */
            made_declare(made, known, to);
        if (read_in_place(work, line, to))
            line = next_line(line);
        else
            write_statement(work, line, to);
    }
    free(work);
    if (fclose(to) != 0 || made->is_full) {
        free(written);
        return NULL;
    }
    return written;
}
