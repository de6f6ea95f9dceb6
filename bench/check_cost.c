/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the checks cost a whole program: its time with each set of them beside its time without any.
 *
 *   check_cost [-n RUNS] PROGRAM ARGUMENTS...
 *
 * The runs take turns, so that whatever else the machine does meets all of them; the shortest one counts. The
 * time is that of the processors, which waits for nobody, and beside it the time on the clock.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 7 };

static const char *const sets[] = {
    "", "mem", "init", "mem,init", "race", "leak", "sync", "num", "mem,init,race,leak,sync,num"};
enum { SETS = sizeof sets / sizeof *sets };

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* False where the program cannot be run, or ends with another status than 0. */
static int run(const char *checks, char **command, double *processor, double *clock)
{
    double begin = clock_seconds();
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        if (checks[0] != '\0')
            setenv("BELAY_CHECK", checks, 1);
        else
            unsetenv("BELAY_CHECK");
        if (nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0)
            _exit(127);
        execvp(command[0], command);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        return 0;
    *clock = clock_seconds() - begin;
    *processor = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    int first = 1, runs = RUNS;
    if (argc > 2 && strcmp(argv[1], "-n") == 0) {
        runs = atoi(argv[2]);
        first = 3;
    }
    if (first >= argc || runs < 1) {
        fprintf(stderr, "usage: check_cost [-n RUNS] PROGRAM ARGUMENTS...\n");
        return 2;
    }
    double processor[SETS], clock[SETS];
    for (int turn = 0; turn < runs; turn++)
        for (int i = 0; i < SETS; i++) {
            double own, on_clock;
            if (!run(sets[i], argv + first, &own, &on_clock)) {
                fprintf(stderr, "check_cost: %s fails with BELAY_CHECK=%s\n", argv[first], sets[i]);
                return 1;
            }
            if (turn == 0 || own < processor[i])
                processor[i] = own;
            if (turn == 0 || on_clock < clock[i])
                clock[i] = on_clock;
        }
    printf("%-28s %12s %8s %12s %8s\n", "checks", "processor s", "times", "clock s", "times");
    for (int i = 0; i < SETS; i++)
        printf("%-28s %12.3f %8.2f %12.3f %8.2f\n", sets[i][0] != '\0' ? sets[i] : "none", processor[i],
               processor[i] / processor[0], clock[i], clock[i] / clock[0]);
    return 0;
}
