/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * belay trace: runs the program as a child whose processes record what they do in files of their own
 * (runtime/timeline/trace.h), and makes timelines of them when it has ended, whatever way.
 */
#include "tools/belay.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "acl/acl.h"
#include "base/hash.h"
#include "base/saboteur.h"
#include "base/settings.h"
#include "tools/child.h"
#include "tools/run.h"
#include "tools/timeline.h"

static const char title[] = "belay trace";

struct request {
    const char *output;
    const char *table; /* NULL: standard error */
    bool preload_is_forced;
    bool only_finishes;
    char **argv; /* the program and its arguments */
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct request *request = state->input;
    switch (key) {
    case 'o':
        request->output = argument;
        return 0;
    case 't':
        request->table = argument;
        return 0;
    case 'p':
        request->preload_is_forced = true;
        return 0;
    case 'f':
        request->only_finishes = true;
        request->output = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return request->only_finishes ? 0 : run_parse(key, state, &request->argv);
    default:
        return run_parse(key, state, &request->argv);
    }
}

/* The files of processes that lie beside the output: FILE.PID.raw, or FILE.PID-2.raw and so on. */
struct recordings {
    char **path;
    size_t count;
};

/* PID, or PID-2, in FILE.PID.raw; its length, or 0 where it is none. */
static size_t process_length(const char *name, const char *file)
{
    size_t length = strlen(file);
    if (strncmp(name, file, length) != 0 || name[length] != '.')
        return 0;
    const char *begin = name + length + 1, *at = begin;
    while (isdigit((unsigned char)*at) || (*at == '-' && at > begin))
        at++;
    return at > begin && strcmp(at, ".raw") == 0 ? (size_t)(at - begin) : 0;
}

static int compare_paths(const void *first, const void *second)
{
    const char *const *a = first, *const *b = second;
    size_t lengths[] = {strlen(*a), strlen(*b)}; /* so that 999 comes before 1000 */
    return lengths[0] != lengths[1] ? (lengths[0] < lengths[1] ? -1 : 1) : strcmp(*a, *b);
}

static void forget(struct recordings *recordings)
{
    for (size_t i = 0; i < recordings->count; i++)
        free(recordings->path[i]);
    free(recordings->path);
}

/* output has a slash in it. */
static bool find_recordings(const char *output, struct recordings *recordings)
{
    *recordings = (struct recordings){0};
    char folder[PATH_MAX];
    const char *slash = strrchr(output, '/');
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - output + 1), output);
    DIR *listing = opendir(folder);
    bool is_good = listing;
    for (const struct dirent *entry; is_good && (entry = readdir(listing));) {
        if (process_length(entry->d_name, slash + 1) == 0)
            continue;
        char **longer = realloc(recordings->path, (recordings->count + 1) * sizeof *longer);
        is_good = longer;
        if (!longer)
            break;
        recordings->path = longer;
        is_good = asprintf(&longer[recordings->count], "%s%s", folder, entry->d_name) >= 0;
        recordings->count += is_good;
    }
    if (listing)
        closedir(listing);
    if (recordings->count > 1)
        qsort(recordings->path, recordings->count, sizeof *recordings->path, compare_paths);
    return is_good;
}

/* The folder of FILE is found however the program changes its own. */
static bool make_absolute(const char *output, char *path)
{
    char folder[PATH_MAX];
    if (output[0] == '/')
        return snprintf(path, PATH_MAX, "%s", output) < PATH_MAX;
    return getcwd(folder, sizeof folder) && snprintf(path, PATH_MAX, "%s/%s", folder, output) < PATH_MAX;
}

static bool write_timeline(const struct timeline *timeline, const char *path)
{
    /* A link is not followed, and what the file was before is gone only when it can be written. */
    int descriptor =
        disk_is_full(path) ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    bool is_good = file && timeline_write(timeline, file);
    int error = errno;
    if (file)
        is_good = fclose(file) == 0 && is_good;
    else if (descriptor >= 0)
        close(descriptor);
    if (!is_good)
        complain("%s: %s cannot be written: %s", title, path, strerror(error));
    return is_good;
}

/* Makes a timeline of one recording, which is removed then. */
static bool finish(const char *recording, const char *path, FILE *table)
{
    struct timeline timeline;
    const char *why;
    if (!timeline_read(recording, &timeline, &why)) {
        complain("%s: %s cannot be read: %s", title, recording, why);
        return false;
    }
    uint64_t lost = atomic_load(&timeline.head->lost);
    bool is_good = write_timeline(&timeline, path);
    if (is_good) {
        /* Before anything is said: nobody may read it. */
        unlink(recording);
        fprintf(table, "%s: %s: %zu calls and tasks of %s\n", title, path, timeline.slice_count,
                timeline.head->program);
        timeline_tabulate(&timeline, table);
    }
    if (lost > 0)
        complain("%s: %s lacks %" PRIu64 " calls or tasks, for which there was no room", title, path, lost);
    timeline_destroy(&timeline);
    return is_good;
}

/* FILE.PID of FILE.PID.raw. */
static bool name_after_process(const char *recording, char path[PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%.*s", (int)(strlen(recording) - strlen(".raw")), recording) < PATH_MAX;
}

/* One process has FILE; where there are several each has FILE.PID. */
static bool finish_all(const char *output, const struct recordings *recordings, FILE *table)
{
    bool is_good = true;
    for (size_t i = 0; i < recordings->count; i++) {
        char path[PATH_MAX];
        const char *recording = recordings->path[i];
        bool fits = recordings->count == 1 ? snprintf(path, sizeof path, "%s", output) < PATH_MAX
                                           : name_after_process(recording, path);
        is_good = fits && finish(recording, path, table) && is_good;
    }
    return is_good;
}

/* An environment in which no call works, so that there would be nothing to see. */
static bool refuses_environment(void)
{
    const struct settings *settings;
    unsetenv("BELAY_TRACE"); /* the command's own use of the library is no part of the timeline */
    if (settings_get(&settings) == 0)
        return false;
    const char *message = aclGetRecentErrMsg();
    complain("%s: %s", title, message ? message : "the library cannot be used here");
    return true;
}

/* Two commands with one FILE at a time would take each other's recordings for their own. A name of a socket
 * is what one process alone can have, and it leaves nothing behind. Where there is none nobody is refused. */
static bool claim(const char *output)
{
    char folder[PATH_MAX], real[PATH_MAX];
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const char *slash = strrchr(output, '/');
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - output + 1), output);
    const char *real_folder = realpath(folder, real) != NULL ? real : folder;
    uint64_t hash = hash_add(HASH_START, real_folder, strlen(real_folder));
    hash = hash_add(hash, slash, strlen(slash));
    int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "belay-trace-%u-%016" PRIx64,
                          (unsigned)getuid(), hash);
    int claimed = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); /* open until the command ends */
    socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    if (claimed < 0 || bind(claimed, (const struct sockaddr *)&name, bytes) == 0 || errno != EADDRINUSE)
        return true;
    close(claimed);
    complain("%s: another belay trace is writing %s; another FILE (-o) is expected", title, output);
    return false;
}

/* Whether the process that records there may still be there. */
static bool is_alive(const char *recording, const char *output)
{
    long process = strtol(recording + strlen(output) + 1, NULL, 10);
    return kill((pid_t)process, 0) == 0 || errno != ESRCH;
}

/* What is there from before would be taken for the program's: of processes that have ended, whose command was
 * killed, say, it becomes timelines of their own, as --finish makes them. */
static bool clear_leftovers(const char *output)
{
    struct recordings recordings;
    char path[PATH_MAX];
    bool is_good = find_recordings(output, &recordings);
    if (!is_good)
        complain("%s: the folder of %s cannot be read: %s", title, output, strerror(errno));
    for (size_t i = 0; i < recordings.count && is_good; i++) {
        const char *recording = recordings.path[i];
        is_good = !is_alive(recording, output) && name_after_process(recording, path) &&
                  finish(recording, path, stderr);
        if (!is_good)
            complain("%s: %s is from before; the end of its process, belay trace --finish FILE, or its "
                     "removal, is expected",
                     title, recording);
    }
    forget(&recordings);
    return is_good;
}

/* Reads what the processes have left; status is the program's. */
static int conclude(const char *output, const struct request *request, int status)
{
    struct recordings recordings;
    signal(SIGXFSZ, SIG_IGN); /* a limit on files is an error of the writing */
    signal(SIGPIPE, SIG_IGN); /* as child_run has it */
    FILE *table = !request->table                ? stderr
                  : disk_is_full(request->table) ? NULL
                                                 : fopen(request->table, "we");
    if (!table) {
        complain("%s: %s cannot be written: %s", title, request->table, strerror(errno));
        table = stderr;
        status = status ? status : STATUS_REFUSED;
    }
    bool is_good = find_recordings(output, &recordings);
    if (is_good && recordings.count == 0) {
        complain(request->only_finishes
                     ? "%s: there is nothing recorded beside %s"
                     : "%s: no process used the library, so there is no %s (programs that are statically "
                       "linked, set-user-id, or change BELAY_TRACE are not seen)",
                 title, output);
        is_good = false;
    }
    is_good = is_good && finish_all(output, &recordings, table);
    if (table != stderr && fclose(table) != 0) {
        complain("%s: %s cannot be written: %s", title, request->table, strerror(errno));
        is_good = false;
    }
    forget(&recordings);
    return status == 0 && !is_good ? STATUS_REFUSED : status;
}

static int run(int argc, char **argv)
{
    struct request request = {.output = "trace.json"};
    verb_parse(&verb_trace, parse, argc, argv, &request);
    char output[PATH_MAX];
    if (!make_absolute(request.output, output)) {
        complain("%s: the path of %s is too long", title, request.output);
        return STATUS_REFUSED;
    }
    if (request.only_finishes)
        return conclude(output, &request, 0);
    if (refuses_environment() || !claim(output) || !clear_leftovers(output) ||
        !run_prepare(title, request.argv[0], request.preload_is_forced))
        return STATUS_REFUSED;
    if (setenv("BELAY_TRACE", output, 1) != 0) {
        complain("%s: there is no room in the environment", title);
        return STATUS_REFUSED;
    }
    return conclude(output, &request, child_run(title, request.argv, NULL));
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "write the timeline to FILE (trace.json)", 0},
    {"table", 't', "FILE", 0, "write the table to FILE instead of standard error", 0},
    {"preload", 'p', NULL, 0, "preload all of Belay's libraries, as belay run does", 0},
    {"finish", 'f', "FILE", 0,
     "run nothing: make timelines of what processes have recorded with BELAY_TRACE=FILE", 0},
    {0}};

static const struct example examples[] = {
    {"belay trace ./program", "write trace.json; open it in https://ui.perfetto.dev"},
    {"belay trace -o step.json -t step.txt python train.py", "name the timeline and the table of operators"},
    {"belay trace --finish timeline.json", "after a program that ran with BELAY_TRACE=timeline.json"},
    {0}};

const struct verb verb_trace = {
    .name = "trace",
    .summary = "run a program and write down what it did when",
    .words = "PROGRAM [ARGUMENT...]",
    .about =
        "Runs PROGRAM on Belay and writes what its threads, streams and devices did, and when, in the trace "
        "event format, which https://ui.perfetto.dev and chrome://tracing open. Prints a table of operators "
        "and copies by their time.",
    .options = options,
    .more = "Where several processes use the library each has a file of its own, FILE.PID.",
    .status =
        "The exit status is PROGRAM's, or 128 and the number of the signal that ended it; where that is 0 it "
        "is 1 if there is no timeline.",
    .examples = examples,
    .takes_program = true,
    .run = run,
};
