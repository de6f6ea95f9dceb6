/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A failure is a status code and a recorded sentence. The sentence names the API, the argument, what was
 * found and what is allowed, in one line, for example aclrtMalloc: size is 0; at least 1 byte is expected
 */
#ifndef BELAY_RUNTIME_ERROR_H
#define BELAY_RUNTIME_ERROR_H

#include "acl/acl_base.h"
#include "runtime/export.h"

/*
 * Records the sentence for aclGetRecentErrMsg and the code for aclrtGetLastError (runtime codes only), in
 * buffers of this thread that are never allocated, and returns code, so that a check reads `return fail(code,
 * "...", ...)`.
 */
int fail(int code, const char *format, ...) SHARED(fail) __attribute__((format(printf, 2, 3), cold));

/* Hands a failure on to the caller; whoever found it has recorded the sentence. */
#define TRY(expression)                          \
    do {                                         \
        int status_of_expression = (expression); \
        if (status_of_expression != 0)           \
            return status_of_expression;         \
    } while (0)

#endif
