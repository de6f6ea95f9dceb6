/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Failures that a rule of the checker stands behind (docs/checker.md). A report is a failure like any other,
 * which `belay check` also prints as it happens and counts.
 */
#ifndef BELAY_BASE_REPORT_H
#define BELAY_BASE_REPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/export.h"
#include "base/handle.h"

/* The numbers are the ids of the rules: DC-001 and so on. They never change their meaning. */
enum rule {
    RULE_HANDLE = 1,
    RULE_DESTROYED = 2,
    RULE_EXECUTOR = 3,
    RULE_WORKSPACE = 4,
    RULE_VIEW = 5,
    RULE_PLACE = 6,
    RULE_HOST_TOUCH = 7, /* memory: the host reads or writes device memory */
    RULE_FREE = 8,
    RULE_COPY = 9,
    RULE_NEVER_WRITTEN = 10, /* init */
    RULE_NO_WAIT = 11,       /* race: the host does not wait for queued work */
    RULE_RACE = 12,          /* race: streams that do not wait for one another */
    RULE_HOST_SOURCE = 13,   /* race: host memory that a queued copy uses dies or changes */
    RULE_SELF_OVERLAP = 14,
    RULE_OWNER = 15,
    RULE_EVENT = 16,
    RULE_LEAK = 17,  /* leak */
    RULE_ORDER = 18, /* order: what is missing, or comes too early */
    RULE_ALIGNMENT = 19,
    RULE_SIZE = 20, /* memory: bytes that do not fit the elements */
    RULE_STATE = 21,
    RULE_NUMBER = 22,     /* num: NaN or infinity out of finite inputs */
    RULE_CALL = 23,       /* any other failed call: what fail of base/error.h reports */
    RULE_WORK = 24,       /* work that failed while it ran */
    RULE_COLLECTIVE = 25, /* ranks that do not call the same */
    RULE_KERNEL = 26,     /* mistakes of a program's own kernel */
    RULES = 27
};

/* The rule behind the refusal of a handle. */
static inline enum rule handle_rule(const struct handle_table *table, uint64_t handle)
{
    return handle_was_destroyed(table, handle) ? RULE_DESTROYED : RULE_HANDLE;
}

struct call_place; /* base/listener.h */

/* What a report says of a place: "made by aclrtMalloc at train.py:12", where what is "made by". */
struct finding_place {
    const char *what; /* may be NULL: the place of the report itself */
    const struct call_place *place;
};

enum { FINDING_PLACES = 3 };

/* What a check has found in calls that did not fail. */
struct finding {
    enum rule rule;
    const char *advice;                         /* the sentence that mends it; may be NULL */
    struct finding_place place[FINDING_PLACES]; /* the first ones that have a place */
};

/* fail, and a report of the rule. */
int report_misuse(enum rule rule, int code, const char *format, ...) SHARED(report_misuse)
    __attribute__((format(printf, 3, 4), cold));
#ifdef __clang_analyzer__
/* The analyser is told the status, as in base/error.h. */
#define report_misuse(rule, code, ...) (report_misuse(rule, code, __VA_ARGS__), (code))
#endif

/* report_misuse, with the places where the block around an address was allocated and freed, as far as the
 * check of memory knows them. */
int report_misuse_of(const void *address, enum rule rule, int code, const char *format, ...)
    SHARED(report_misuse_of) __attribute__((format(printf, 4, 5), cold));
#ifdef __clang_analyzer__
#define report_misuse_of(address, rule, code, ...) \
    (report_misuse_of(address, rule, code, __VA_ARGS__), (code))
#endif

/* A report of what is no failure of the call that is being made, for the log too: work that fails while it
 * runs. */
void report_work(enum rule rule, int code, const char *sentence) SHARED(report_work) __attribute__((cold));

/* Reports work that failed, with what the finding says: where it was queued, and what mends it. */
void report_failed_work(const struct finding *finding, int code, const char *sentence)
    SHARED(report_failed_work) __attribute__((cold));

/* report_misuse for callers that have a format of their own. */
void report_failure(enum rule rule, int code, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0), cold));

/* From here on who listens is told of failed calls and failed work, or no longer. */
void report_failures(bool are_told);

#endif
