/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * belay check: runs the program as a child whose reports of the checker's rules are printed as they happen
 * and counted in memory that both map, so that the summary survives whatever way the program ends. Where
 * nothing was checked, or not all that was asked for, it says so and fails: silence would pass for praise.
 */
#include "tools/belay.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "acl/acl.h"
#include "check/board.h"
#include "base/report.h"
#include "base/settings.h"
#include "base/settings_peek.h"
#include "tools/check_report.h"
#include "tools/check_whereabouts.h"
#include "tools/child.h"
#include "tools/complete.h"
#include "tools/run.h"

/* What the command line asks for. */
struct request {
    const char *checks; /* --only; NULL: all */
    const char *json;   /* --json; NULL: none */
    char **program;     /* and its arguments */
    bool preload_is_forced;
};

enum { OPTION_ONLY = 256, OPTION_JSON, OPTION_SUPPRESSIONS };

/* Programs may change their folder. */
static error_t suppress(const char *path, struct argp_state *state)
{
    char whole[PATH_MAX];
    if (realpath(path, whole) == NULL || setenv("BELAY_CHECK_SUPPRESSIONS", whole, 1) != 0)
        argp_error(state, "%.256s: %s", path, strerror(errno));
    return 0;
}

static void choose_checks(struct request *request, const char *list, struct argp_state *state)
{
    request->checks = list;
    for (const char *name = list;; name++) {
        const size_t length = strcspn(name, ",");
        if (settings_check_bit(name, length) == 0)
            argp_error(state,
                       "--only: '%.256s' is not understood; a list of mem, init, race, leak, sync, num and "
                       "report with commas between them is expected",
                       list);
        name += length;
        if (*name == '\0')
            break;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct request *request = (struct request *)state->input;
    switch (key) {
    case OPTION_ONLY:
        choose_checks(request, argument, state);
        return 0;
    case OPTION_JSON:
        request->json = argument;
        return 0;
    case OPTION_SUPPRESSIONS:
        return suppress(argument, state);
    case 'p':
        request->preload_is_forced = true;
        return 0;
    default:
        return run_parse(key, state, &request->program);
    }
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
    unsetenv("BELAY_CHECK_COUNTS"); /* of a belay check around this one */
    if (!ask_for_checks(request, -1)) {
        fprintf(stderr, "belay check: there is no room in BELAY_CHECK: %s\n", strerror(errno));
        return true;
    }
    /* The command's own use of the library is no part of a timeline that the program is to have. */
    const char *path = getenv("BELAY_TRACE");
    char *timeline = path != NULL ? strdup(path) : NULL;
    unsetenv("BELAY_TRACE");
    bool works = settings_get(&settings) == 0 &&
                 (path == NULL || (timeline != NULL && setenv("BELAY_TRACE", timeline, 1) == 0));
    free(timeline);
    if (works)
        return false;
    const char *message = aclGetRecentErrMsg();
    complain("belay check: %s", message ? message : "the library cannot be used here");
    return true;
}

/* Tells a belay check around this one, whose board is at path, all that was reported to this one. */
static void pass_on(struct board *counts, const char *path)
{
    struct board *around = board_open(path);
    if (around == NULL)
        return;
    atomic_fetch_add(&around->processes, atomic_load(&counts->processes));
    atomic_fetch_add(&around->suppressed, atomic_load(&counts->suppressed));
    for (int rule = 0; rule < RULES; rule++)
        atomic_fetch_add(&around->count[rule], atomic_load(&counts->count[rule]));
    uint32_t used = atomic_load(&counts->used);
    for (uint32_t i = 0; i < used && i < BOARD_ENTRIES; i++) {
        const struct board_entry *entry = &counts->entry[i];
        bool is_new, is_whole = atomic_load_explicit(&entry->is_whole, memory_order_acquire) != 0;
        struct board_entry *to = is_whole ? board_find(around, atomic_load(&counts->key[i]), &is_new) : NULL;
        if (to != NULL)
            board_fill(to, entry, is_new, atomic_load(&entry->count));
    }
    munmap(around, sizeof *around);
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

/* Whether the file of --json can be made, which is better known before a long run than after it. */
static bool can_be_written(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    const char *missing = access(path, F_OK) == 0 ? path : folder;
    if (access(missing, W_OK) == 0)
        return true;
    complain("belay check: %.256s: %s", path, strerror(errno));
    return false;
}

static struct board *told_of;

/* Somebody gives up on the program: what hangs makes no report. */
static void tell_whereabouts(int signal)
{
    if (atomic_load(&told_of->processes) > 0)
        check_tell_whereabouts(told_of, signal);
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    verb_parse(&verb_check, parse, argc, argv, &request);
    const char *board = getenv("BELAY_CHECK_COUNTS");
    char *around = board != NULL ? strdup(board) : NULL;
    if (refuses_environment(&request))
        return STATUS_REFUSED;
    struct board *counts = open_counts(&request);
    if (counts == NULL) {
        fprintf(stderr, "belay check: there is no room for the counts or in BELAY_CHECK: %s\n",
                strerror(errno));
        return STATUS_REFUSED;
    }
    if (request.json != NULL && !can_be_written(request.json))
        return STATUS_REFUSED;
    /* PyTorch for Ascend calls from a thread of its own otherwise, where no line of the program is known. */
    if (setenv("TASK_QUEUE_ENABLE", "0", 0) != 0 ||
        !run_prepare("belay check", request.program[0], request.preload_is_forced))
        return STATUS_REFUSED;
    told_of = counts;
    int status = child_run("belay check", request.program, tell_whereabouts);
    /* What could not be run needs no other explanation. */
    if ((status == 126 || status == 127) && atomic_load(&counts->processes) == 0)
        return status;
    bool is_in_doubt = saw_nothing(counts) || check_summarise(counts) > 0;
    if (around != NULL)
        pass_on(counts, around);
    free(around);
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error of the writing */
    if (request.json != NULL && !check_write_json(counts, request.json, status))
        is_in_doubt = true;
    return status == 0 && is_in_doubt ? STATUS_REFUSED : status;
}

static const struct argp_option options[] = {
    {"only", OPTION_ONLY, "CHECKS", 0,
     "Beside failed calls look for these alone, of mem, init, race, leak, sync and num, with commas "
     "between them",
     0},
    {"json", OPTION_JSON, "FILE", 0, "Write all reports to FILE, too, as JSON", 0},
    {"suppressions", OPTION_SUPPRESSIONS, "FILE", 0,
     "Leave out what a line of FILE names: RULE FUNCTION [LIBRARY], each a pattern", 0},
    {"preload", 'p', NULL, 0, "Preload all of Belay's libraries, as belay run does", 0},
    {0},
};

/* A list with commas: what is complete stays, and the last word is completed. */
static void complete(struct completion *completion, const char *option, int count, const char *const *words)
{
    (void)count;
    (void)words;
    if (option == NULL || strcmp(option, "only") != 0)
        return;
    completion_skip_list(completion, ',');
    for (uint32_t i = 0; i < CHECKS; i++)
        completion_offer(completion, settings_check_name(i), NULL);
}

static const struct example examples[] = {
    {"belay check ./program", "look for everything"},
    {"belay check --only leak,sync python train.py", "look for some things alone"},
    {"belay check --json reports.json ./program", "reports for another program to read"},
    {"belay check --suppressions known.txt ./program", "without what known.txt names"},
    {0}};

const struct verb verb_check = {
    .name = "check",
    .summary = "run a program and report what it does wrong",
    .words = "PROGRAM [ARGUMENT...]",
    .about = "Runs PROGRAM on Belay and prints what it does wrong with the library to standard error as it "
             "happens, each report with the id of its rule and its place, and a summary at its end.",
    .options = options,
    .status =
        "The exit status is PROGRAM's, or 128 and the number of the signal that ended it. Where that is 0 "
        "it is 1 if there was a report, if no process used the library, or if the file of --json cannot be "
        "written.",
    .examples = examples,
    .takes_program = true,
    .run = run,
    .complete = complete,
};
