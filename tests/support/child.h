/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Runs a part of a test in a process of its own, with a variable of the environment set. The parent must not
 * have used the library before.
 */
#ifndef BELAY_TESTS_SUPPORT_CHILD_H
#define BELAY_TESTS_SUPPORT_CHILD_H

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* What body returned, below 256; -1 when the child crashed. variable may be NULL. */
static inline int run_in_child(const char *variable, const char *value, int (*body)(void))
{
    pid_t child = fork();
    if (child == 0) {
        if (variable != NULL)
            setenv(variable, value, 1);
        _exit(body());
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

/* Ends body with the line that went wrong, which the exit status shows. */
#define CHILD_CHECK(condition)     \
    do {                           \
        if (!(condition))          \
            return __LINE__ & 255; \
    } while (0)

#endif
