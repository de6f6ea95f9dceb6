/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * belay check: runs the program as a child whose reports of the checker's rules are printed as they happen
 * and counted in memory that both map, so that the summary survives whatever way the program ends. Where
 * nothing was checked, or not all that was asked for, it says so and fails: silence would pass for praise.
 */
#include "tools/belay.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "check/board.h"
#include "runtime/report.h"
#include "runtime/settings.h"
#include "tools/run.h"

static const char *const titles[RULES] = {
    [RULE_HANDLE] = "NULL, forged or wrong handle",
    [RULE_DESTROYED] = "use of something that was destroyed",
    [RULE_EXECUTOR] = "executor that has run, or of another operator",
    [RULE_WORKSPACE] = "workspace too small, not device memory, or overlapping an operand",
    [RULE_VIEW] = "view that leaves its memory",
    [RULE_PLACE] = "host memory for device memory, or the reverse",
    [RULE_HOST_TOUCH] = "device memory touched by the host",
    [RULE_FREE] = "free of what is no live block",
    [RULE_COPY] = "copy or set past the end of an allocation",
    [RULE_NEVER_WRITTEN] = "read of memory that was never written",
    [RULE_NO_WAIT] = "use by the host of what queued work still needs or makes",
    [RULE_RACE] = "work on two streams, of which neither waits for the other",
    [RULE_HOST_SOURCE] = "host memory that changed or died before a queued copy ran",
    [RULE_SELF_OVERLAP] = "output that overlaps itself",
    [RULE_OWNER] = "stream, event or context of another owner",
    [RULE_EVENT] = "event asked for what it has not",
    [RULE_LEAK] = "what is alive at the end",
    [RULE_ORDER] = "call that is missing, or comes too early",
    [RULE_ALIGNMENT] = "address that is not aligned to its elements",
    [RULE_SIZE] = "memory whose size does not fit its elements",
    [RULE_STATE] = "call without a context, in a forked child, or from a callback that would wait for itself",
    [RULE_NUMBER] = "NaN or infinity out of finite inputs",
    [RULE_CALL] = "call that failed for another reason",
    [RULE_WORK] = "work that failed while it ran",
};

/* What the command line asks for. */
struct request {
    const char *checks; /* --only; NULL: all */
    char **program;     /* and its arguments */
};

enum { OPTION_ONLY = 256 };

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct request *request = (struct request *)state->input;
    if (key == OPTION_ONLY) {
        request->checks = argument;
        return 0;
    }
    return run_parse(key, state, &request->program);
}

/* Asks the libraries for the checks, those of BELAY_CHECK too, and for reports of failed calls where there is
 * a file to count in. */
static bool ask_for_checks(const struct request *request, int file)
{
    static const char all[] = "mem,init,race,leak,sync,num";
    static const char *asked; /* before this function changes it */
    char path[64], checks[256];
    if (asked == NULL)
        asked = getenv("BELAY_CHECK") != NULL ? strdup(getenv("BELAY_CHECK")) : "";
    if (asked == NULL)
        return false;
    int length = snprintf(checks, sizeof checks, "%s%s%s%s", request->checks != NULL ? request->checks : all,
                          *asked != '\0' ? "," : "", asked, file >= 0 ? ",report" : "");
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), file);
    errno = E2BIG;
    return length > 0 && (size_t)length < sizeof checks && setenv("BELAY_CHECK", checks, 1) == 0 &&
           (file < 0 || setenv("BELAY_CHECK_COUNTS", path, 1) == 0);
}

static struct board *open_counts(const struct request *request)
{
    int file = memfd_create("belay-check", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, sizeof(struct board)) != 0)
        return NULL;
    void *counts = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return counts != MAP_FAILED && ask_for_checks(request, file) ? (struct board *)counts : NULL;
}

/* An environment in which no call works; what the libraries say of it goes to standard error. */
static bool refuses_environment(const struct request *request)
{
    const struct settings *settings;
    unsetenv("BELAY_CHECK_COUNTS"); /* of a belay check around this one: its counts are of programs */
    if (!ask_for_checks(request, -1)) {
        fprintf(stderr, "belay check: there is no room in BELAY_CHECK: %s\n", strerror(errno));
        return true;
    }
    if (settings_get(&settings) == 0)
        return false;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "belay check: %s", message ? message : "the library cannot be used here\n");
    return true;
}

/* How the program ended, as shells put it; 126 when it could not be waited for. */
static int run(char **argv)
{
    /* Both are for the program; what it makes of them is its own affair. */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    pid_t child = fork();
    if (child == 0) {
        sigaction(SIGINT, &interrupt, NULL);
        sigaction(SIGQUIT, &quit, NULL);
        _exit(run_replace("belay check", argv));
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            child = -1;
    if (child < 0) {
        fprintf(stderr, "belay check: %s cannot be run: %s\n", argv[0], strerror(errno));
        return 126;
    }
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "belay check: signal %d ended the program: %s\n", WTERMSIG(status),
            strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
}

/* Whether no process has asked the libraries for anything, of which there is nothing to say then. */
static bool saw_nothing(struct board *counts)
{
    if (atomic_load(&counts->processes) > 0)
        return false;
    fputs("belay check: no process used the library, so nothing was checked (programs that are statically "
          "linked, set-user-id, or change BELAY_CHECK are not seen)\n",
          stderr);
    return true;
}

/* Returns the number of reports. */
static uint64_t summarise(struct board *counts)
{
    uint64_t total = 0;
    for (int rule = 0; rule < RULES; rule++)
        total += atomic_load(&counts->count[rule]);
    fprintf(stderr, "belay check: %llu report%s\n", (unsigned long long)total, total == 1 ? "" : "s");
    for (int rule = 0; rule < RULES; rule++) {
        uint64_t count = atomic_load(&counts->count[rule]);
        if (count > 0)
            fprintf(stderr, "belay check:   DC-%03d %6llu  %s\n", rule, (unsigned long long)count,
                    titles[rule] != NULL ? titles[rule] : "");
    }
    return total;
}

int verb_check(int argc, char **argv)
{
    static const char documentation[] =
        "Runs PROGRAM on Belay and prints what it does wrong with the library to standard error as it "
        "happens, each report with the id of its rule and its place, and a summary at its end. The exit "
        "status is the program's. Where that is 0 it is 1 if there was a report, or if no process used the "
        "library.";
    static const struct argp_option options[] = {
        {"only", OPTION_ONLY, "CHECKS", 0,
         "Beside failed calls look for these alone, of mem, init, race, leak, sync and num, with commas "
         "between them",
         0},
        {0},
    };
    const struct argp argp = {options, parse, "PROGRAM [ARGUMENT...]", documentation, NULL, NULL, NULL};
    struct request request = {0};
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &request);
    if (refuses_environment(&request))
        return STATUS_REFUSED;
    struct board *counts = open_counts(&request);
    if (counts == NULL) {
        fprintf(stderr, "belay check: there is no room for the counts or in BELAY_CHECK: %s\n",
                strerror(errno));
        return STATUS_REFUSED;
    }
    if (!run_prepare("belay check", request.program[0], false))
        return STATUS_REFUSED;
    int status = run(request.program);
    bool is_in_doubt = saw_nothing(counts) || summarise(counts) > 0;
    return status == 0 && is_in_doubt ? STATUS_REFUSED : status;
}
