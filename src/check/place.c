/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Walks the stack out of these libraries. Which return addresses belong to them is remembered by address, as
 * the same few come again and again.
 */
#include "check/place.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check/made.h"
#include "check/order.h"
#include "check/python_line.h"
#include "check/suppression.h"
#include "runtime/report.h"
#include "runtime/settings.h"

/* Frames of these libraries are few; of a fault in a callback there are more. */
enum { FRAMES_FEW = 12, FRAMES_MANY = 64 };

/* Direct-mapped: an address, and in bits that addresses do not have whether it is one of ours, or of a module
 * whose leaks nobody wants to see. */
enum { KNOWN = 4096 };
static const uint64_t OWN = UINT64_C(1) << 63, QUIET = UINT64_C(1) << 62;
static _Atomic uint64_t known[KNOWN];

static _Atomic uint64_t calls;

_Thread_local uintptr_t place_caller;

static uint64_t find_bits(uintptr_t address)
{
    static const char *const names[] = {"libascendcl.so", "libnnopbase.so", "libopapi.so"};
    Dl_info info;
    if (dladdr((void *)(address - 1), &info) == 0 || info.dli_fname == NULL)
        return 0;
    const char *slash = strrchr(info.dli_fname, '/');
    const char *file = slash != NULL ? slash + 1 : info.dli_fname;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(file, names[i], strlen(names[i])) == 0)
            return OWN;
    return suppressions_match(RULE_LEAK, "", file) && suppressions_match(RULE_ORDER, "", file) ? QUIET : 0;
}

static uint64_t bits_of(uintptr_t address)
{
    uint64_t mixed = (uint64_t)address * UINT64_C(0x9e3779b97f4a7c15);
    _Atomic uint64_t *slot = &known[mixed >> 52];
    uint64_t value = atomic_load_explicit(slot, memory_order_relaxed);
    if ((value & ~(OWN | QUIET)) != address) {
        value = (uint64_t)address | find_bits(address);
        atomic_store_explicit(slot, value, memory_order_relaxed);
    }
    return value & (OWN | QUIET);
}

static bool is_own(uintptr_t address)
{
    return (bits_of(address) & OWN) != 0;
}

static uintptr_t first_outside(void **frame, int count)
{
    for (int i = 1; i < count; i++) /* the first is this file's */
        if (!is_own((uintptr_t)frame[i]))
            return (uintptr_t)frame[i];
    return 0;
}

static struct call_place take(const char *function, bool is_for_leaks)
{
    void *frame[FRAMES_MANY];
    int kept_errno = errno;
    struct call_place place = {
        .function = function,
        .number = atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed) + 1,
    };
    if (place_caller != 0 && !is_own(place_caller))
        place.address = place_caller;
    if (place.address == 0)
        place.address = first_outside(frame, backtrace(frame, FRAMES_FEW));
    if (place.address == 0)
        place.address = first_outside(frame, backtrace(frame, FRAMES_MANY));
    place.line = !is_for_leaks || (bits_of(place.address) & QUIET) == 0 ? python_line_here() : 0;
    errno = kept_errno;
    return place;
}

struct call_place place_of_report(const char *function)
{
    return take(function, false);
}

struct call_place place_for_leaks(const char *function)
{
    return checks_are_on() ? take(function, true) : (struct call_place){.function = function};
}

struct call_place place_here(const char *function)
{
    return checks_are_on() ? place_of_report(function) : (struct call_place){.function = function};
}

void place_describe(const struct call_place *place, struct place_text *text)
{
    Dl_info info;
    struct link_map *map = NULL;
    *text = (struct place_text){.offset = place->address};
    snprintf(text->line, sizeof text->line, "%s", python_line_text(place->line));
    if (place->address == 0 ||
        dladdr1((void *)(place->address - 1), &info, (void **)&map, RTLD_DL_LINKMAP) == 0)
        return;
    /* The call is in front of the place that it returns to. */
    text->offset = place->address - 1 - (map != NULL ? (uintptr_t)map->l_addr : (uintptr_t)info.dli_fbase);
    /* The program itself has no name there, only what it was started by. */
    bool is_program = map != NULL && map->l_name[0] == '\0';
    ssize_t length = is_program ? readlink("/proc/self/exe", text->module, sizeof text->module - 1) : -1;
    if (length >= 0)
        text->module[length] = '\0';
    else
        snprintf(text->module, sizeof text->module, "%s", info.dli_fname != NULL ? info.dli_fname : "");
    snprintf(text->symbol, sizeof text->symbol, "%s", info.dli_sname != NULL ? info.dli_sname : "");
}

void place_after_fork(void)
{
    python_line_after_fork();
    made_after_fork();
    order_after_fork();
}
