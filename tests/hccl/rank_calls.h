/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of ranks that are processes, which end their part with the line where one ends otherwise. Include
 * hccl/mesh_ranks.h before.
 */
#ifndef BELAY_TESTS_HCCL_RANK_CALLS_H
#define BELAY_TESTS_HCCL_RANK_CALLS_H

#include "acl/acl.h"

/* For bodies of ranks: the call must succeed; the sentence says why it has not. */
#define CALL(call)                                                                                \
    do {                                                                                          \
        int status_of_call = (int)(call);                                                         \
        if (status_of_call != 0) {                                                                \
            const char *words_of_call = aclGetRecentErrMsg();                                     \
            fprintf(stderr, "%s:%d: rank %u: %d, %s\n", __FILE__, __LINE__, rank, status_of_call, \
                    words_of_call != NULL ? words_of_call : "");                                  \
            return __LINE__;                                                                      \
        }                                                                                         \
    } while (0)

/* Fails with the code, and a sentence that has the text. */
#define CALL_FAILS(call, code, text)                                                                         \
    do {                                                                                                     \
        (void)aclGetRecentErrMsg();                                                                          \
        int status_of_call = (int)(call);                                                                    \
        const char *words_of_call = aclGetRecentErrMsg();                                                    \
        if (status_of_call != (int)(code) || words_of_call == NULL || strstr(words_of_call, text) == NULL) { \
            fprintf(stderr, "%s:%d: rank %u: %d, %s\n", __FILE__, __LINE__, rank, status_of_call,            \
                    words_of_call != NULL ? words_of_call : "(none)");                                       \
            return __LINE__;                                                                                 \
        }                                                                                                    \
    } while (0)

#endif
