/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Failures that a rule stands behind. Where BELAY_CHECK has asked for reports the checker is told of each
 * (check/reporter.h); without that a report is a failure and no more.
 */
#include "base/report.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/error.h"
#include "base/listener.h"

static _Atomic bool failures_are_told;

void report_failures(bool are_told)
{
    atomic_store_explicit(&failures_are_told, are_told, memory_order_relaxed);
}

void report_failed_work(const struct finding *finding, int code, const char *sentence)
{
    if (atomic_load_explicit(&failures_are_told, memory_order_relaxed))
        listener->report_shown(finding, code, sentence);
    error_log(code, sentence);
}

void report_work(enum rule rule, int code, const char *sentence)
{
    report_failed_work(&(struct finding){.rule = rule}, code, sentence);
}

/* address: NULL, or in the block whose places are told too. */
__attribute__((format(printf, 4, 0))) static void report_with(const void *address, enum rule rule, int code,
                                                              const char *format, va_list arguments)
{
    char sentence[ERROR_SENTENCE_BYTES];
    int kept_errno = errno;
    int length = vsnprintf(sentence, sizeof sentence, format, arguments);
    const char *text = length >= 0 ? sentence : format;
    if (atomic_load_explicit(&failures_are_told, memory_order_relaxed))
        listener->report_failed_call(address, (int)rule, code & ~(ARGUMENT_IS_NULL | ANSWER_IS_POLLED), text);
    errno = kept_errno;
    fail_unreported(code, "%s", text);
}

void report_failure(enum rule rule, int code, const char *format, va_list arguments)
{
    report_with(NULL, rule, code, format, arguments);
}

int(report_misuse)(enum rule rule, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_with(NULL, rule, code, format, arguments);
    va_end(arguments);
    return code & ~(ARGUMENT_IS_NULL | ANSWER_IS_POLLED);
}

int(report_misuse_of)(const void *address, enum rule rule, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_with(address, rule, code, format, arguments);
    va_end(arguments);
    return code & ~(ARGUMENT_IS_NULL | ANSWER_IS_POLLED);
}
