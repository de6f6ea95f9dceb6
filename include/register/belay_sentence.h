/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a function of op_host says before it fails.
 */
#ifndef REGISTER_BELAY_SENTENCE_H
#define REGISTER_BELAY_SENTENCE_H

#include <cstdarg>
#include <cstdio>

namespace belay_operators_host
{
/* Of the call that this thread is in. One for each library: what is hidden is not shared. */
struct Sentence {
    char text[256];
};

__attribute__((visibility("hidden"))) inline Sentence &sentence()
{
    static thread_local Sentence last;
    return last;
}

/* The first one counts, which is nearest to what is wrong. */
__attribute__((visibility("hidden"), format(printf, 1, 2))) inline void say(const char *format, ...)
{
    char *text = sentence().text;
    if (text[0] != '\0')
        return;
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof sentence().text, format, arguments);
    va_end(arguments);
}
} // namespace belay_operators_host

#endif
