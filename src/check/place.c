/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Takes places, by the stack of C and by that of Python, and turns them into words.
 */
#include "check/place.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check/python_line.h"
#include "check/stack.h"
#include "base/settings.h"

static _Atomic uint64_t calls;

static uint64_t next_number(void)
{
    return atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed) + 1;
}

static struct call_place take(const char *function, uint64_t number, bool is_for_leaks)
{
    int kept_errno = errno;
    struct call_stack stack;
    struct call_place place = {.function = function, .number = number};
    stack_here(&stack);
    if (stack.count > 0)
        place.address = stack.frame[0];
    if (!is_for_leaks || !stack_is_quiet(place.address)) {
        struct python_place python = python_place_here();
        place.line = python.line;
        place.callers = python.line != 0 ? python.callers : stack_keep(&stack);
    }
    errno = kept_errno;
    return place;
}

struct call_place place_of_report(const char *function)
{
    return take(function, next_number(), false);
}

struct call_place place_without_number(const char *function)
{
    return take(function, 0, false);
}

struct call_place place_for_leaks(const char *function)
{
    return checks_are_on() ? take(function, next_number(), true) : (struct call_place){.function = function};
}

static void describe_frame(uintptr_t address, struct place_text *text)
{
    Dl_info info;
    struct link_map *map = NULL;
    *text = (struct place_text){.offset = address};
    if (address == 0 || dladdr1((void *)(address - 1), &info, (void **)&map, RTLD_DL_LINKMAP) == 0)
        return;
    /* The call is in front of the place that it returns to. */
    text->offset = address - 1 - (map != NULL ? (uintptr_t)map->l_addr : (uintptr_t)info.dli_fbase);
    /* The program itself has no name there, only what it was started by. */
    bool is_program = map != NULL && map->l_name[0] == '\0';
    ssize_t length = is_program ? readlink("/proc/self/exe", text->module, sizeof text->module - 1) : -1;
    if (length >= 0)
        text->module[length] = '\0';
    else
        snprintf(text->module, sizeof text->module, "%s", info.dli_fname != NULL ? info.dli_fname : "");
    snprintf(text->symbol, sizeof text->symbol, "%s", info.dli_sname != NULL ? info.dli_sname : "");
}

void place_describe(const struct call_place *place, struct place_text *text)
{
    describe_frame(place->address, text);
    snprintf(text->line, sizeof text->line, "%s", python_line_text(place->line));
}

/* The lines of a Python program's callers. */
static uint32_t describe_lines(const char *lines, struct place_text text[PLACE_CALLERS])
{
    uint32_t count = 0;
    while (*lines != '\0' && count < PLACE_CALLERS) {
        size_t length = strcspn(lines, "\n");
        text[count] = (struct place_text){.offset = 0};
        snprintf(text[count++].line, sizeof text->line, "%.*s", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
    return count;
}

uint32_t place_describe_callers(const struct call_place *place, struct place_text text[PLACE_CALLERS])
{
    struct call_stack stack;
    uint32_t count = 0;
    if (place->line != 0)
        return describe_lines(python_line_text(place->callers), text);
    stack_find(place->callers, &stack);
    for (uint32_t i = 1; i < stack.count; i++) {
        describe_frame(stack.frame[i], &text[count]);
        const char *slash = strrchr(text[count].module, '/');
        const char *name = slash != NULL ? slash + 1 : text[count].module;
        /* What called main, or the function of a thread. */
        if (name[0] == '\0' || strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libc-", 5) == 0)
            break;
        count++;
    }
    return count;
}
