/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The log's functions that clients of libascendalog.so and libunified_dlog.so are linked with, and that no
 * header declares. What they write goes into the log (log.h), under the module of operators, of which most
 * callers are; the number of the module that they name stands in the line.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/log.h"

#pragma GCC visibility push(default)
#define FORMAT(number) __attribute__((format(printf, number, number + 1)))
void DlogRecord(int32_t module, int32_t level, const char *format, ...) FORMAT(3);
void DlogErrorInner(int32_t module, const char *format, ...) FORMAT(2);
void DlogWarnInner(int32_t module, const char *format, ...) FORMAT(2);
void DlogInfoInner(int32_t module, const char *format, ...) FORMAT(2);
void DlogDebugInner(int32_t module, const char *format, ...) FORMAT(2);
void DlogEventInner(int32_t module, const char *format, ...) FORMAT(2);
void DlogFlush(void);
int32_t CheckLogLevel(int32_t module, int32_t level);
int32_t dlog_getlevel(int32_t module, int32_t *takes_events);
int32_t dlog_setlevel(int32_t module, int32_t level, int32_t takes_events);
#pragma GCC visibility pop

/* Events are levels of their own there. */
enum { EVENT = 0x10 };

static enum log_level level_here(int32_t level)
{
    if (level == EVENT)
        return LOG_INFO;
    return level >= LOG_DEBUG && level <= LOG_ERROR ? (enum log_level)level : LOG_NOTHING;
}

__attribute__((format(printf, 3, 0))) static void record(int32_t module, int32_t level, const char *format,
                                                         va_list arguments)
{
    enum { TEXT_BYTES = 1024 };
    char text[TEXT_BYTES];
    enum log_level here = level_here(level);
    if (format == NULL || !log_wants(LOG_MODULE_OP, here))
        return;
    if (vsnprintf(text, sizeof text, format, arguments) < 0)
        text[0] = '\0';
    log_line(LOG_MODULE_OP, here, "dlog", 0, "module %d: %s", module, text);
}

void DlogRecord(int32_t module, int32_t level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(module, level, format, arguments);
    va_end(arguments);
}

void DlogErrorInner(int32_t module, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(module, LOG_ERROR, format, arguments);
    va_end(arguments);
}

void DlogWarnInner(int32_t module, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(module, LOG_WARNING, format, arguments);
    va_end(arguments);
}

void DlogInfoInner(int32_t module, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(module, LOG_INFO, format, arguments);
    va_end(arguments);
}

void DlogDebugInner(int32_t module, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(module, LOG_DEBUG, format, arguments);
    va_end(arguments);
}

void DlogEventInner(int32_t module, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(module, EVENT, format, arguments);
    va_end(arguments);
}

/* Each line is written when it comes. */
void DlogFlush(void)
{
}

int32_t CheckLogLevel(int32_t module, int32_t level)
{
    (void)module;
    return log_wants(LOG_MODULE_OP, level_here(level)) ? 1 : 0;
}

int32_t dlog_getlevel(int32_t module, int32_t *takes_events)
{
    int32_t level = LOG_DEBUG;
    (void)module;
    while (level < LOG_NOTHING && !log_wants(LOG_MODULE_OP, (enum log_level)level))
        level++;
    if (takes_events != NULL)
        *takes_events = level <= LOG_INFO;
    return level;
}

/* The level is the environment's (docs/environment.md), for all that write: -1, as for a setting that fails.
 */
int32_t dlog_setlevel(int32_t module, int32_t level, int32_t takes_events)
{
    (void)module, (void)level, (void)takes_events;
    return -1;
}
