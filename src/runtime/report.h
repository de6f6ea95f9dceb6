/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Failures that a rule of the checker stands behind (docs/checker.md). A report is a failure like any other,
 * which `belay check` also prints as it happens and counts.
 */
#ifndef BELAY_RUNTIME_REPORT_H
#define BELAY_RUNTIME_REPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/export.h"
#include "runtime/handle.h"

/* The numbers are the ids of the rules: DC-001 and so on. They never change their meaning. */
enum rule {
    RULE_HANDLE = 1,
    RULE_DESTROYED = 2,
    RULE_EXECUTOR = 3,
    RULE_WORKSPACE = 4,
    RULE_VIEW = 5,
    RULE_PLACE = 6,
    RULE_TOUCHED = 7,
    RULE_FREE = 8,
    RULE_COPY = 9,
    RULE_SELF_OVERLAP = 14,
    RULE_OWNER = 15,
    RULE_EVENT = 16,
    RULE_ALIGNMENT = 19,
    RULE_STATE = 21,
    RULE_CALL = 23, /* any other failed call: what fail of runtime/error.h reports */
    RULE_WORK = 24, /* work that failed while it ran */
    RULES = 25
};

/* The rule behind the refusal of a handle. */
static inline enum rule handle_rule(const struct handle_table *table, uint64_t handle)
{
    return handle_was_destroyed(table, handle) ? RULE_DESTROYED : RULE_HANDLE;
}

/* What processes count and `belay check` reads: a file of this size that all of them map. */
struct report_counts {
    _Atomic uint64_t count[RULES];
    _Atomic uint64_t processes; /* that have used the library */
};

/* fail, and a report of the rule. */
int report_misuse(enum rule rule, int code, const char *format, ...) SHARED(report_misuse)
    __attribute__((format(printf, 3, 4), cold));
#ifdef __clang_analyzer__
/* As in runtime/error.h. */
#define report_misuse(rule, code, ...) (report_misuse(rule, code, __VA_ARGS__), (code))
#endif

/* A report of what is no failure of the call that is being made, for the log too: work that fails while it
 * runs. */
void report_work(enum rule rule, int code, const char *sentence) SHARED(report_work) __attribute__((cold));

/* report_misuse for callers that have a format of their own. */
void report_failure(enum rule rule, int code, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0), cold));

/* From here on reports are printed to standard error; counted too, as the process is, if path is not NULL.
 * False when the file at path is none of belay check's. */
bool report_begin(const char *path);

#endif
