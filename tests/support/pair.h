/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Two processes that talk to each other, for tests of what processes share. The parent must not have used the
 * library before. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_SUPPORT_PAIR_H
#define BELAY_TESTS_SUPPORT_PAIR_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

/* One end of a connection: a letter is sent to wake the other process, or a key. */
struct end {
    int in, out;
};

static inline bool tell(const struct end *end, const void *what, size_t bytes)
{
    return write(end->out, what, bytes) == (ssize_t)bytes;
}

static inline bool hear(const struct end *end, void *what, size_t bytes)
{
    return read(end->in, what, bytes) == (ssize_t)bytes;
}

/* Runs both; the number of the line in which the first of them failed, or 0. */
static inline int run_both(int (*exporter)(const struct end *), int (*importer)(const struct end *))
{
    int there[2], back[2];
    pid_t child[2];
    if (pipe(there) != 0 || pipe(back) != 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            const struct end end = {i == 0 ? back[0] : there[0], i == 0 ? there[1] : back[1]};
            close(i == 0 ? there[0] : back[0]);
            close(i == 0 ? back[1] : there[1]);
            alarm(200);
            _exit(i == 0 ? exporter(&end) : importer(&end));
        }
    }
    close(there[0]), close(there[1]), close(back[0]), close(back[1]);
    int result = 0;
    for (int i = 0; i < 2; i++) {
        int status = -1;
        waitpid(child[i], &status, 0);
        if (result == 0)
            result = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status) == SIGKILL ? 0 : 1000 + i;
    }
    return result;
}

#endif
