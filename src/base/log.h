/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The log that the vendor's variables describe (docs/environment.md). Nothing is written, and no folder made,
 * unless one of them asks for it.
 */
#ifndef BELAY_BASE_LOG_H
#define BELAY_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/export.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_NOTHING };

enum log_module { LOG_MODULE_RUNTIME, LOG_MODULE_APP, LOG_MODULE_ASCENDCL, LOG_MODULE_OP, LOG_MODULES };

/* True when such a line would go somewhere: ask before composing one. */
bool log_wants(enum log_module module, enum log_level level) SHARED(log_wants);

/*
 * Writes a line: [LEVEL] MODULE(pid,process):time [file:line]text. file may be a path; its last part is
 * shown. What is not printable in text is escaped. Never fails: a line that cannot be written is lost.
 */
void log_line(enum log_module module, enum log_level level, const char *file, uint32_t line,
              const char *format, ...) SHARED(log_line) __attribute__((format(printf, 5, 6)));

/* For the child of a fork: makes the lock usable whoever held it in the parent. */
void log_after_fork(void);

#endif
