/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sentences of work that fails, from the operation to its stream.
 */
#include "runtime/streams/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/report.h"

int operation_fail(int status, const char *format, ...)
{
    char raw[FAULT_SENTENCE_BYTES];
    int kept_errno = errno;
    char *held = error_held_sentence();
    if (held != NULL) {
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(raw, sizeof raw, format, arguments);
        va_end(arguments);
        error_escape(held, FAULT_SENTENCE_BYTES, length >= 0 ? raw : format);
    }
    errno = kept_errno;
    return status;
}

void operation_failed(const char *operation, int status)
{
    char sentence[FAULT_SENTENCE_BYTES], found[FAULT_SENTENCE_BYTES];
    int kept_errno = errno;
    fault_take_sentence(found);
    if (found[0] != '\0')
        snprintf(sentence, sizeof sentence, "%.80s: %.400s", operation, found);
    else
        snprintf(sentence, sizeof sentence, "%.80s: the work ended with status %d; 0 is expected", operation,
                 status);
    report_work(RULE_WORK, status, sentence);
    char *held = error_held_sentence();
    if (held != NULL)
        error_escape(held, FAULT_SENTENCE_BYTES, sentence);
    errno = kept_errno;
}

void fault_take_sentence(char sentence[FAULT_SENTENCE_BYTES])
{
    char *held = error_held_sentence();
    snprintf(sentence, FAULT_SENTENCE_BYTES, "%s", held != NULL ? held : "");
    if (held != NULL)
        held[0] = '\0';
}
