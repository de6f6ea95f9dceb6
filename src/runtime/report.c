/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Prints and counts reports, once BELAY_CHECK has asked for it. Without that a report is a failure and no
 * more.
 */
#include "runtime/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/error.h"

static _Atomic bool is_printing;
static _Atomic(struct report_counts *) counts; /* mapped for the life of the process */

bool report_begin(const char *path)
{
    if (path != NULL) {
        int file = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        struct stat status;
        void *mapped = MAP_FAILED;
        if (file < 0)
            return false;
        if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
            status.st_size == sizeof(struct report_counts))
            mapped = mmap(NULL, sizeof(struct report_counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        if (mapped == MAP_FAILED)
            return false;
        struct report_counts *shared = (struct report_counts *)mapped;
        atomic_fetch_add_explicit(&shared->processes, 1, memory_order_relaxed);
        atomic_store_explicit(&counts, shared, memory_order_release);
    }
    atomic_store_explicit(&is_printing, true, memory_order_release);
    return true;
}

/* One write, so that lines of several threads and processes do not mix. */
static void print(enum rule rule, int code, const char *sentence)
{
    char escaped[ERROR_SENTENCE_BYTES], line[ERROR_SENTENCE_BYTES + 64];
    error_escape(escaped, sizeof escaped, sentence);
    int length = snprintf(line, sizeof line, "belay check: DC-%03d: %s (%d)\n", (int)rule, escaped, code);
    size_t left = length > 0 && (size_t)length < sizeof line ? (size_t)length : 0;
    const char *at = line;
    while (left > 0) {
        ssize_t written = write(STDERR_FILENO, at, left);
        if (written < 0 && errno != EINTR)
            return;
        at += written > 0 ? written : 0;
        left -= written > 0 ? (size_t)written : 0;
    }
}

/* For those who have asked for reports. */
static void show(enum rule rule, int code, const char *sentence)
{
    if (!atomic_load_explicit(&is_printing, memory_order_acquire))
        return;
    struct report_counts *shared = atomic_load_explicit(&counts, memory_order_acquire);
    if (shared != NULL)
        atomic_fetch_add_explicit(&shared->count[rule], 1, memory_order_relaxed);
    print(rule, code, sentence);
}

void report_work(enum rule rule, int code, const char *sentence)
{
    show(rule, code, sentence);
    error_log(code, sentence);
}

void report_failure(enum rule rule, int code, const char *format, va_list arguments)
{
    char sentence[ERROR_SENTENCE_BYTES];
    int kept_errno = errno;
    int length = vsnprintf(sentence, sizeof sentence, format, arguments);
    const char *text = length >= 0 ? sentence : format;
    show(rule, code & ~(ARGUMENT_IS_NULL | ANSWER_IS_POLLED), text);
    errno = kept_errno;
    fail_unreported(code, "%s", text);
}

int(report_misuse)(enum rule rule, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_failure(rule, code, format, arguments);
    va_end(arguments);
    return code & ~(ARGUMENT_IS_NULL | ANSWER_IS_POLLED);
}
