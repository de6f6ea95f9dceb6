/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Fails every point of every scenario (a sample under a sanitizer), once and for ever, or of those two the one or
 * the other in turns where less effort is wanted, each in a process of its own. Afterwards the codes must have been
 * right, nothing may be lost, and a whole use of an operator must give the right results.
 *
 *   faults                    everything
 *   faults NAME [POINT ever]  one scenario, or one run of it, in this process
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "injector.h"
#include "scenario.h"
#include "support/effort.h"
#include "support/sanitizer.h"
#include "world.h"

enum { WATCHDOG_S = 200, EXECUTORS_KEPT_MOST = 8 };

char scratch_folder[64];
char configuration_path[96];

/* What a child tells its parent, in shared memory. */
struct outcome {
    uint64_t points; /* that were passed while armed */
    uint64_t failed;
    uint64_t by_class[POINT_CLASSES];
    char failed_call[32];
    char complaint[512];
    struct holdings holdings;
};

static struct outcome *outcome;

static void run_clean(const struct scenario *scenario, const char *when)
{
    uint32_t before = calls_failed;
    if (scenario->prepare != NULL)
        scenario->prepare();
    scenario->body();
    world_end();
    if (calls_failed != before)
        complain("%s: a call fails although nothing is refused any more", when);
}

/* The whole use of an operator: whatever was refused before, the library works. So do its messages. */
static void check_usable(void)
{
    uint32_t before = calls_failed;
    if (aclrtSetDevice(1000) == 0)
        complain("afterwards: device 1000 exists");
    const char *message = aclGetRecentErrMsg();
    if (message == NULL || strstr(message, "device 1000 does not exist") == NULL)
        complain("afterwards: a failure has the message '%.200s'", message != NULL ? message : "none");
    if (!went_well(CALL_CLEANUP, "aclrtSetDevice", aclrtSetDevice(0)))
        return;
    world.devices_set = 1;
    if (went_well(CALL_CLEANUP, "aclrtCreateStream", aclrtCreateStream(&world.stream[0])))
        operate(LEAKY_RELU, world.stream[0], 4096, 0);
    world_end();
    if (calls_failed != before)
        complain("afterwards: a whole use of an operator fails");
}

/* What the run holds beyond an undisturbed one. */
static void compare_holdings(const struct holdings *expected)
{
    const struct holdings *found = &outcome->holdings;
    char *text = outcome->complaint;
    size_t bytes = sizeof outcome->complaint;
    if (found->blocks > expected->blocks)
        snprintf(text, bytes, "%lld blocks are held instead of %lld", (long long)found->blocks,
                 (long long)expected->blocks);
    if (found->mappings > expected->mappings)
        snprintf(text, bytes, "%lld mappings are held instead of %lld", (long long)found->mappings,
                 (long long)expected->mappings);
    if (found->files > expected->files)
        snprintf(text, bytes, "%lld files are open instead of %lld", (long long)found->files,
                 (long long)expected->files);
    for (int kind = 0; kind < HANDLE_KINDS; kind++) {
        /* Each thread keeps its last executor. */
        bool is_more = kind == HANDLE_EXECUTOR ? found->slots[kind] > EXECUTORS_KEPT_MOST
                                               : found->slots[kind] > expected->slots[kind];
        if (is_more)
            snprintf(text, bytes, "%lld objects of kind %d are held instead of %lld",
                     (long long)found->slots[kind], kind, (long long)expected->slots[kind]);
    }
}

static bool holds_more(const struct holdings *expected)
{
    outcome->complaint[0] = '\0';
    compare_holdings(expected);
    return outcome->complaint[0] != '\0';
}

/* ordinal 0 only counts the points. */
static void run_here(const struct scenario *scenario, uint64_t ordinal, bool for_ever,
                     const struct holdings *expected)
{
    if (scenario->variable != NULL)
        setenv(scenario->variable, scenario->value, 1);
    if (scenario->prepare != NULL)
        scenario->prepare();
    injector_arm(ordinal, for_ever);
    uint32_t failed_before = calls_failed;
    scenario->body();
    bool has_failed = calls_failed != failed_before;
    if (!for_ever)
        world_end();
    else if (complaint[0] == '\0')
        world_end();
    outcome->points = injector_disarm();
    const char *call;
    outcome->failed = injector_failed(&call);
    for (int i = 0; i < POINT_CLASSES; i++)
        outcome->by_class[i] = injector_points((enum point_class)i);
    snprintf(outcome->failed_call, sizeof outcome->failed_call, "%s", call != NULL ? call : "none");
    if (has_failed && outcome->failed == 0)
        complain("a call failed although nothing was refused");
    if (complaint[0] == '\0')
        check_usable();
    /* Twice, so that tables have grown as far as they ever do. */
    if (complaint[0] == '\0')
        run_clean(scenario, "again");
    if (complaint[0] == '\0')
        run_clean(scenario, "once more");
    /* Threads of the pool may be about to let go: for a moment of an undisturbed run, which is looked at until
     * two moments agree, and else as long as there is more than that one had. */
    struct holdings before;
    outcome->holdings = injector_holdings();
    int moments = 0;
    do {
        const struct timespec moment = {.tv_nsec = 2000000};
        nanosleep(&moment, NULL);
        before = outcome->holdings;
        outcome->holdings = injector_holdings();
    } while (
        ++moments < 2000 &&
        (expected != NULL ? holds_more(expected) : memcmp(&before, &outcome->holdings, sizeof before) != 0));
    memcpy(outcome->complaint, complaint, sizeof complaint);
}

static bool run_in_child(const struct scenario *scenario, uint64_t ordinal, bool for_ever,
                         const struct holdings *expected)
{
    memset(outcome, 0, sizeof *outcome);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(WATCHDOG_S);
        run_here(scenario, ordinal, for_ever, expected);
        exit(0); /* leak detection of a sanitizer runs here */
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        snprintf(outcome->complaint, sizeof outcome->complaint, "no child could be run");
        return false;
    }
    if (WIFSIGNALED(status))
        snprintf(outcome->complaint, sizeof outcome->complaint, "the process ended by signal %d%s",
                 WTERMSIG(status), WTERMSIG(status) == SIGALRM ? ": it was stuck" : "");
    else if (WEXITSTATUS(status) != 0 && outcome->complaint[0] == '\0')
        snprintf(outcome->complaint, sizeof outcome->complaint, "the process ended with status %d",
                 WEXITSTATUS(status));
    return outcome->complaint[0] == '\0';
}

struct totals {
    uint64_t points, runs, refused, faults;
    uint64_t by_class[POINT_CLASSES];
};

static void report(const struct scenario *scenario, uint64_t ordinal, bool for_ever, struct totals *totals)
{
    totals->faults++;
    printf("FAULT: %s: point %llu (%s) %s: %s\n", scenario->name, (unsigned long long)ordinal,
           outcome->failed_call, for_ever ? "ever" : "once", outcome->complaint);
}

static void run_scenario(const struct scenario *scenario, struct totals *totals)
{
    if (!run_in_child(scenario, 0, false, NULL)) {
        report(scenario, 0, false, totals);
        return;
    }
    /* Each point without a sanitizer; of what it might see besides, leaks, a sample, which begins anew in
     * each. */
    const uint64_t step = UNDER_SANITIZER ? (uint64_t)stride_of_effort(2) : 1;
    uint64_t points = outcome->points;
    struct holdings expected = outcome->holdings;
    totals->points += points;
    for (int i = 0; i < POINT_CLASSES; i++)
        totals->by_class[i] += outcome->by_class[i];
    for (uint64_t ordinal = 1; ordinal <= points; ordinal += step) {
        for (int for_ever = 0; for_ever < 2; for_ever++) {
            if (effort() < 1 && for_ever != (int)(ordinal / step % 2))
                continue;
            if (run_in_child(scenario, ordinal, for_ever, &expected))
                compare_holdings(&expected);
            totals->runs++;
            totals->refused += outcome->failed != 0;
            if (outcome->complaint[0] != '\0')
                report(scenario, ordinal, for_ever, totals);
        }
    }
    printf("%-50s %4llu points\n", scenario->name, (unsigned long long)points);
}

static void make_scratch(void)
{
    snprintf(scratch_folder, sizeof scratch_folder, "/tmp/belay-faults-XXXXXX");
    if (mkdtemp(scratch_folder) == NULL) {
        perror(scratch_folder);
        exit(1);
    }
    snprintf(configuration_path, sizeof configuration_path, "%s/acl.json", scratch_folder);
    FILE *file = fopen(configuration_path, "w");
    if (file != NULL) {
        fputs("{\"err_msg_mode\": \"0\"}\n", file);
        fclose(file);
    }
}

static void remove_scratch(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
    if (system(command) != 0)
        fprintf(stderr, "%s is left behind\n", scratch_folder);
}

static const struct group {
    const struct scenario *scenario;
    const uint32_t *count;
} groups[] = {
    {runtime_calls, &runtime_call_count}, {object_calls, &object_call_count}, {programs, &program_count}};

enum { GROUPS = sizeof groups / sizeof groups[0] };

static const struct scenario *find(const char *name)
{
    for (int group = 0; group < GROUPS; group++)
        for (uint32_t i = 0; i < *groups[group].count; i++)
            if (strcmp(groups[group].scenario[i].name, name) == 0)
                return &groups[group].scenario[i];
    return NULL;
}

static void use_first(void)
{
    uint32_t count;
    went_well(CALL_CLEANUP, "aclrtGetDeviceCount", aclrtGetDeviceCount(&count));
}

int main(int argc, char **argv)
{
    struct totals totals = {0};
    setenv("BELAY_THREADS", "2", 1);
    setenv("BELAY_MEMORY", "1G", 1);
    make_scratch();
    outcome = (struct outcome *)mmap(NULL, sizeof *outcome, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const struct scenario *only = argc > 1 ? find(argv[1]) : NULL;
    if (argc > 1 && only == NULL) {
        fprintf(stderr, "there is no scenario %s\n", argv[1]);
        return 2;
    }
    if (argc > 3) {
        run_here(only, strtoull(argv[2], NULL, 10), strcmp(argv[3], "ever") == 0, NULL);
        printf("%s: %s\n", outcome->failed_call, outcome->complaint);
        return outcome->complaint[0] != '\0';
    }
    if (only != NULL) {
        run_scenario(only, &totals);
    } else {
        for (int group = 0; group < GROUPS; group++) {
            for (uint32_t i = 0; i < *groups[group].count; i++) {
                struct scenario scenario = groups[group].scenario[i];
                /* The first use of the library is the same in all programs: with less effort it is tried in one. */
                if ((UNDER_SANITIZER || effort() < 1) && groups[group].scenario == programs && i > 0)
                    scenario.prepare = use_first;
                run_scenario(&scenario, &totals);
            }
        }
    }
    remove_scratch();
    printf("%llu allocation points (%llu memory, %llu mappings, %llu threads and locks, %llu files and "
           "limits) in %u calls and %u programs, %llu runs, %llu of which met the point, %llu faults\n",
           (unsigned long long)totals.points, (unsigned long long)totals.by_class[POINT_MEMORY],
           (unsigned long long)totals.by_class[POINT_MAPPING],
           (unsigned long long)totals.by_class[POINT_THREAD], (unsigned long long)totals.by_class[POINT_FILE],
           runtime_call_count + object_call_count, program_count, (unsigned long long)totals.runs,
           (unsigned long long)totals.refused, (unsigned long long)totals.faults);
    return totals.faults != 0;
}
