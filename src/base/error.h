/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A failure is a status code and a recorded sentence. The sentence names the API, the argument, what was
 * found and what is allowed, in one line, for example aclrtMalloc: size is 0; at least 1 byte is expected
 */
#ifndef BELAY_BASE_ERROR_H
#define BELAY_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_base.h"
#include "base/export.h"

/*
 * What may be or-ed to the code that fail is given; it is no part of the result. ARGUMENT_IS_NULL gives
 * 100000 a heading of its own. ANSWER_IS_POLLED is for answers that programs ask for again and again: they do
 * not become the last error, and the next failure replaces their sentence.
 */
enum { ARGUMENT_IS_NULL = 1 << 24, ANSWER_IS_POLLED = 1 << 25 };

/*
 * Records the sentence for aclGetRecentErrMsg and the code for aclrtGetLastError (codes of the runtime and of
 * operators), in buffers of this thread that are never allocated, and returns code, so that a check reads
 * `return fail(code,
 * "...", ...)`. To `belay check` it is a call that failed; where a rule of its own stands behind it,
 * report_misuse (base/report.h) says so.
 */
int fail(int code, const char *format, ...) SHARED(fail) __attribute__((format(printf, 2, 3), cold));

/*
 * fail, and nothing to report: the code is the answer to what correct programs ask (whether a time is over, a
 * context current, the library initialised), or words a failure anew that was reported when it was found.
 */
int fail_unreported(int code, const char *format, ...) SHARED(fail_unreported)
    __attribute__((format(printf, 2, 3), cold));
#ifdef __clang_analyzer__
/* The analyzer does not see into the functions, and would follow paths on which a failure counts as success.
 */
#define fail(code, ...)            (fail(code, __VA_ARGS__), (code))
#define fail_unreported(code, ...) (fail_unreported(code, __VA_ARGS__), (code))
#endif

/*
 * What a sentence may hold: fail cuts it to ERROR_SENTENCE_BYTES and writes control characters and what is
 * not UTF-8 as \xHH, so that no text of a program can forge a line. Print strings that come from outside with
 * %.256s, so that one of them cannot crowd out the rest.
 */
enum { ERROR_SENTENCE_BYTES = 1024 };

/* The escaping of fail, for text that goes elsewhere; what does not fit is cut. */
void error_escape(char *escaped, size_t bytes, const char *text) SHARED(error_escape);

/* The sentence alone of the last failure of this thread; empty when there is none. */
const char *error_last_sentence(void) SHARED(error_last_sentence);

/* The line of the log that a failure makes; the sentence is escaped already. */
void error_log(int code, const char *sentence);

/* Drops the sentence of the thread's last answer to a poll: a wait that goes on, or is asked anew. */
void error_forget_polled(void);

/* err_msg_mode of aclInit: one list of messages for the process instead of one per thread. */
void error_share_between_threads(bool is_shared);

/* For the child of a fork: makes the lock usable whoever held it in the parent. */
void error_after_fork(void);

/* 0, or 100000 when the place for a result is NULL. */
static inline int check_result(const char *api, const char *argument, const void *place)
{
    return place != NULL ? 0
                         : fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                                "%s: argument %s is NULL; a place for the result is expected", api, argument);
}

/* Hands a failure on to the caller; whoever found it has recorded the sentence. */
#define TRY(expression)                          \
    do {                                         \
        int status_of_expression = (expression); \
        if (status_of_expression != 0)           \
            return status_of_expression;         \
    } while (0)

#endif
