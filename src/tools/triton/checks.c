/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Puts a check before each statement that reads or writes memory which is not the program's own: a view of a tensor,
 * whose first and last byte are compared with what the tensor has. That costs as much for a block as for an element.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/triton/rewrite.h"

struct checking {
    const char *text;
    struct made_list *made;
    FILE *to;
};

bool is_own_memory(const char *text, const char *line, const char *value)
{
    static const char *const own[] = {" = memref.alloc", " = bufferization.to_memref "};
    static const char *const views[] = {" = memref.subview ", " = memref.reinterpret_cast ",
                                        " = memref.cast ", " = memref.collapse_shape ",
                                        " = memref.expand_shape "};
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s", value);
    for (unsigned steps = 0; steps < 64; steps++) {
        line = definition_of(text, line, name);
        if (line == NULL)
            return false;
        for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
            if (in_statement(line, own[i]) != NULL)
                return true;
        const char *of = NULL;
        for (size_t i = 0; i < sizeof views / sizeof views[0] && of == NULL; i++) {
            const char *at = in_statement(line, views[i]);
            of = at != NULL ? at + strlen(views[i]) : NULL;
        }
        if (of == NULL)
            return false;
        copy_value(of, name);
    }
    return false;
}

/* type has the memref's type at its beginning. */
static void check(struct checking *work, const char *line, enum made_kind kind, const char *value,
                  const char *type)
{
    char name[NAME_BYTES], view[VIEW_BYTES];
    copy_value(value, name);
    snprintf(view, sizeof view, "%.*s", (int)type_length(type), type);
    if (name[0] == '\0' || strncmp(view, "memref<", 7) != 0 || element_of(view).bytes == 0 ||
        is_own_memory(work->text, line, name))
        return;
    const unsigned number = made_add(work->made, kind, line);
    if (work->made->is_full)
        return;
    memcpy(work->made->made[number].type[0], view, sizeof view);
    fprintf(work->to, "%*sfunc.call @belay_made_%u(%s) : (%s) -> ()\n", (int)strspn(line, " "), "", number,
            name, view);
}

static void check_copy(struct checking *work, const char *line, const char *operands)
{
    const char *types = in_statement(line, " : memref<"), *second = in_statement(line, " to memref<");
    if (types == NULL || second == NULL)
        return;
    check(work, line, MADE_CHECK_LOAD, operands, types + 3);
    check(work, line, MADE_CHECK_STORE, operands + value_length(operands) + 2, second + 4);
}

/* An atomic operation, whose target is a view of the same type as what it reads. */
static void check_atomic(struct checking *work, const char *line)
{
    const char *out = in_statement(line, " outs(%"), *type = out != NULL ? strstr(out, " : memref<") : NULL;
    if (type != NULL && type < statement_end(line))
        check(work, line, MADE_CHECK_STORE, out + 6, type + 3);
}

static void check_statement(struct checking *work, const char *line)
{
    static const char loads[] = " = memref.load ", stores[] = "memref.store ", copies[] = "memref.copy ";
    const char *at = line + strspn(line, " "), *found, *type;
    if (strncmp(at, copies, strlen(copies)) == 0) {
        check_copy(work, line, at + strlen(copies));
    } else if ((found = in_statement(line, " in writable %")) != NULL) {
        if ((type = in_statement(line, ", memref<")) != NULL)
            check(work, line, MADE_CHECK_STORE, found + 13, type + 2);
    } else if ((found = in_statement(line, loads)) != NULL) {
        if ((type = in_statement(line, " : memref<1x")) != NULL)
            check(work, line, MADE_CHECK_LOAD, found + strlen(loads), type + 3);
    } else if (strncmp(at, stores, strlen(stores)) == 0) {
        at += strlen(stores);
        if ((type = in_statement(line, " : memref<1x")) != NULL)
            check(work, line, MADE_CHECK_STORE, at + value_length(at) + 2, type + 3);
    } else if (in_statement(line, "GenericAtomicRMW") != NULL) {
        check_atomic(work, line);
    }
}

char *kernel_check_accesses(const char *text, struct made_list *made)
{
    char *checked = NULL;
    size_t bytes;
    struct checking work = {text, made, open_memstream(&checked, &bytes)};
    if (work.to == NULL)
        return NULL;
    for (const char *line = text; line != NULL; line = next_line(line)) {
        check_statement(&work, line);
        fprintf(work.to, "%.*s\n", (int)strcspn(line, "\n"), line);
    }
    if (fclose(work.to) != 0 || made->is_full) {
        free(checked);
        return NULL;
    }
    return checked;
}
