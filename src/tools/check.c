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
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "acl/acl.h"
#include "runtime/report.h"
#include "runtime/settings.h"
#include "tools/child.h"
#include "tools/run.h"

static const char *const titles[RULES] = {
    [RULE_HANDLE] = "NULL, forged or wrong handle",
    [RULE_DESTROYED] = "use of something that was destroyed",
    [RULE_EXECUTOR] = "executor that has run, or of another operator",
    [RULE_WORKSPACE] = "workspace too small, not device memory, or overlapping an operand",
    [RULE_VIEW] = "view that leaves its memory",
    [RULE_PLACE] = "host memory for device memory, or the reverse",
    [RULE_FREE] = "free of what is no live block",
    [RULE_COPY] = "copy or set past the end of an allocation",
    [RULE_SELF_OVERLAP] = "output that overlaps itself",
    [RULE_OWNER] = "stream, event or context of another owner",
    [RULE_EVENT] = "event asked for what it has not",
    [RULE_ALIGNMENT] = "address that is not aligned to its elements",
    [RULE_STATE] = "call without a context, in a forked child, or from a callback that would wait for itself",
    [RULE_CALL] = "call that failed for another reason",
    [RULE_WORK] = "work that failed while it ran",
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    return run_parse(key, state, (char ***)state->input);
}

/* Asks the libraries for reports, beside what BELAY_CHECK asks for already. */
static bool ask_for_reports(int file)
{
    char path[64], checks[256];
    const char *old = getenv("BELAY_CHECK");
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), file);
    int length = old != NULL && *old != 0 ? snprintf(checks, sizeof checks, "%s,report", old)
                                          : snprintf(checks, sizeof checks, "report");
    errno = E2BIG;
    return (size_t)length < sizeof checks && setenv("BELAY_CHECK", checks, 1) == 0 &&
           setenv("BELAY_CHECK_COUNTS", path, 1) == 0;
}

static struct report_counts *open_counts(void)
{
    int file = memfd_create("belay-check", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, sizeof(struct report_counts)) != 0)
        return NULL;
    void *counts = mmap(NULL, sizeof(struct report_counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return counts != MAP_FAILED && ask_for_reports(file) ? (struct report_counts *)counts : NULL;
}

/* An environment in which no call works; what the libraries say of it goes to standard error. */
static bool refuses_environment(const struct settings **settings)
{
    unsetenv("BELAY_CHECK_COUNTS"); /* of a belay check around this one: its counts are of programs */
    if (settings_get(settings) == 0)
        return false;
    const char *message = aclGetRecentErrMsg();
    complain("belay check: %s", message ? message : "the library cannot be used here");
    return true;
}

/* Whether no process has asked the libraries for anything, of which there is nothing to say then. */
static bool saw_nothing(struct report_counts *counts)
{
    if (atomic_load(&counts->processes) > 0)
        return false;
    fputs("belay check: no process used the library, so nothing was checked (programs that are statically "
          "linked, set-user-id, or change BELAY_CHECK are not seen)\n",
          stderr);
    return true;
}

/* Whether checks were asked for by name that do not exist. */
static bool lacks_checks(uint32_t checks)
{
    uint32_t lacking = checks & ~(uint32_t)CHECK_REPORTS;
    for (uint32_t i = 0; i < CHECKS; i++)
        if (lacking & 1u << i)
            fprintf(stderr, "belay check: %s: not there yet\n", settings_check_name(i));
    return lacking != 0;
}

/* Returns the number of reports. */
static uint64_t summarise(struct report_counts *counts)
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
    static const char documentation[] = "Runs PROGRAM on Belay and prints what it does wrong with the "
                                        "library to standard error as it happens, "
                                        "each message with the id of its rule, and a summary at its end. The "
                                        "exit status is the program's. Where that is 0 it is 1 if there was "
                                        "a report, if no process used the library, or if BELAY_CHECK asks "
                                        "for a check that is not there yet.";
    const struct argp argp = {NULL, parse, "PROGRAM [ARGUMENT...]", documentation, NULL, NULL, NULL};
    char **program = NULL; /* and its arguments */
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &program);
    const struct settings *settings;
    if (refuses_environment(&settings))
        return STATUS_REFUSED;
    struct report_counts *counts = open_counts();
    if (counts == NULL) {
        fprintf(stderr, "belay check: there is no room for the counts or in BELAY_CHECK: %s\n",
                strerror(errno));
        return STATUS_REFUSED;
    }
    if (!run_prepare("belay check", program[0], false))
        return STATUS_REFUSED;
    int status = child_run("belay check", program);
    bool is_in_doubt = lacks_checks(settings->checks);
    is_in_doubt = saw_nothing(counts) || summarise(counts) > 0 || is_in_doubt;
    return status == 0 && is_in_doubt ? STATUS_REFUSED : status;
}
