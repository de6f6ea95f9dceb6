/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Checks that a call failed and that the recorded sentence says which call and why. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_SUPPORT_FAILURE_H
#define BELAY_TESTS_SUPPORT_FAILURE_H

#include <stdbool.h>
#include <string.h>

#include "acl/acl_rt.h"

/* For children, which cannot use the macros below: whether the newest sentence has the text. Clears it. */
static inline bool sentence_has(const char *text)
{
    const char *sentence = aclGetRecentErrMsg();
    return sentence != NULL && strstr(sentence, text) != NULL;
}

/* The newest sentence contains text; reading it clears it. */
static inline void assert_sentence_at(const char *text, const char *file, int line)
{
    const char *sentence = aclGetRecentErrMsg();
    if (sentence == NULL || strstr(sentence, text) == NULL) {
        print_error("%s:%d: expected \"%s\" in \"%s\"\n", file, line, text, sentence ? sentence : "(none)");
        _fail(file, line);
    }
}

#define assert_sentence(text) assert_sentence_at((text), __FILE__, __LINE__)

/* The call has this status and leaves a sentence with this text. */
#define assert_failure(call, status, text)              \
    do {                                                \
        (void)aclGetRecentErrMsg();                     \
        assert_int_equal((call), (status));             \
        assert_sentence_at((text), __FILE__, __LINE__); \
    } while (0)

#endif
