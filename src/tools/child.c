/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Starts a program, hands signals on to it, and waits for it.
 */
#include "tools/child.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/belay.h"
#include "tools/run.h"

static volatile sig_atomic_t handed_to; /* its process, while it may be sent signals */

/* What comes from the terminal has reached the program, too: it is in the same process group. */
static void hand_on(int signal, siginfo_t *information, void *context)
{
    (void)context;
    if (handed_to > 0 && information->si_code != SI_KERNEL)
        kill(handed_to, signal);
}

static const int handed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { HANDED_ON = sizeof handed_on / sizeof handed_on[0] };

/* Starts the program with the signals as they were, which go on to it from now on; -1 and errno. */
static pid_t start(const char *verb, char **argv)
{
    struct sigaction action = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO | SA_RESTART},
                     before[HANDED_ON];
    sigset_t all, mask;
    pid_t parent = getpid();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask);
    for (int i = 0; i < HANDED_ON; i++) {
        sigaction(handed_on[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* as nohup has it */
            sigaction(handed_on[i], &action, NULL);
    }
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < HANDED_ON; i++)
            sigaction(handed_on[i], &before[i], NULL);
        /* Nobody can hand on SIGKILL. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        _exit(getppid() == parent ? run_replace(verb, argv) : 126);
    }
    handed_to = child;
    /* What the command still has to write and to remove must not depend on who reads what it says. */
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return child;
}

int child_run(const char *verb, char **argv)
{
    pid_t child = start(verb, argv);
    int status = 0;
    siginfo_t ignored;
    /* It stays a process, whose number is nobody else's, until no signal is handed on any more. */
    while (child > 0 && waitid(P_PID, (id_t)child, &ignored, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        continue;
    handed_to = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            child = -1;
    if (child < 0) {
        complain("%s: %.256s cannot be run: %s", verb, argv[0], strerror(errno));
        return 126;
    }
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    complain("%s: signal %d ended the program: %s", verb, WTERMSIG(status), strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
}
