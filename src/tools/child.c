/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Starts a program, hands signals on to it, and waits for it.
 */
#include "tools/child.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/belay.h"
#include "tools/run.h"

static volatile sig_atomic_t handed_to; /* its process, while it may be sent signals */
static volatile sig_atomic_t asked_by;  /* the first signal that asked for its end; 0 until then */

/* Whether somebody gives up on a program who sends it. */
static bool asks_for_end(int signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT ||
           signal == SIGKILL;
}

/* What comes from the terminal has reached the program, too: it is in the same process group. */
static void hand_on(int signal, siginfo_t *information, void *context)
{
    (void)context;
    const int kept_errno = errno; /* of what it interrupts */
    if (asked_by == 0 && asks_for_end(signal))
        asked_by = signal;
    if (handed_to > 0 && information->si_code != SI_KERNEL)
        kill(handed_to, signal);
    errno = kept_errno;
}

static const int handed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { HANDED_ON = sizeof handed_on / sizeof handed_on[0] };

/* Starts the program with the signals as they were, which go on to it from now on; -1 and errno. */
static pid_t start(const char *verb, char **argv)
{
    /* Without SA_RESTART, so that who waits for the program learns of a signal. */
    struct sigaction action = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO}, before[HANDED_ON];
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

/* What the command writes from here on is not interrupted: half a line would be lost. */
static void restart_calls(void)
{
    for (int i = 0; i < HANDED_ON; i++) {
        struct sigaction action;
        sigaction(handed_on[i], NULL, &action);
        action.sa_flags |= SA_RESTART;
        sigaction(handed_on[i], &action, NULL);
    }
}

int child_run(const char *verb, char **argv, void (*told)(int signal))
{
    pid_t child = start(verb, argv);
    int status = 0;
    siginfo_t end = {.si_status = 0};
    /* It stays a process, whose number is nobody else's, until no signal is handed on any more. */
    while (child > 0 && waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        if (asked_by != 0 && told != NULL) {
            restart_calls();
            told(asked_by);
            told = NULL;
        }
    handed_to = 0;
    restart_calls();
    if (asked_by == 0 && child > 0 && end.si_code != CLD_EXITED && asks_for_end(end.si_status))
        asked_by = end.si_status; /* by another way than the command */
    if (asked_by != 0 && told != NULL)
        told(asked_by);
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
