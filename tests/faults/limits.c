/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the system itself refuses: address space (RLIMIT_AS) and threads (RLIMIT_NPROC, which binds users
 * other than root). The whole use of an operator either works or fails with the right code; once the limit is
 * gone it works.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/sanitizer.h"
#include "world.h"

enum { WATCHDOG_S = 200, SKIPPED = 77, NOBODY = 65534 };

static uint64_t address_space_now(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%lu", &pages) != 1)
        complain("/proc/self/statm cannot be read");
    if (file != NULL)
        fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The type that getrlimit takes. */
#if defined(__GLIBC__)
typedef __rlimit_resource_t resource_number;
#else
typedef int resource_number;
#endif

static void set_limit(resource_number resource, uint64_t value)
{
    struct rlimit limit;
    getrlimit(resource, &limit);
    limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
    if (setrlimit(resource, &limit) != 0)
        complain("the limit cannot be set");
}

/* True when everything worked. */
static bool use_operator(void)
{
    uint32_t before = calls_failed;
    if (went_well(CALL_RUNTIME, "aclrtSetDevice", aclrtSetDevice(0))) {
        world.devices_set = 1;
        if (went_well(CALL_QUEUEING, "aclrtCreateStream", aclrtCreateStream(&world.stream[0])))
            operate(LEAKY_RELU, world.stream[0], HOST_ELEMENTS, 0);
    }
    bool has_worked = calls_failed == before;
    world_end();
    return has_worked;
}

/* 0 worked, 1 was refused, 2 broke the contract. */
static int run_limited(resource_number resource, uint64_t value)
{
    set_limit(resource, value);
    bool has_worked = use_operator();
    set_limit(resource, RLIM_INFINITY);
    /* The address space is reserved once, at the first allocation: what failed then is mapped singly. */
    if (complaint[0] == '\0' && !use_operator())
        complain("the limit is gone, and calls fail still");
    if (complaint[0] == '\0')
        return has_worked ? 0 : 1;
    printf("FAULT: limit %d at %llu: %s\n", resource, (unsigned long long)value, complaint);
    fflush(stdout);
    return 2;
}

static int run_in_child(resource_number resource, uint64_t value, bool as_nobody)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(WATCHDOG_S);
        if (as_nobody && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
            _exit(SKIPPED);
        _exit(run_limited(resource, resource == RLIMIT_AS ? address_space_now() + value : value));
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 2;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    printf("FAULT: limit %d at %llu: signal %d\n", resource, (unsigned long long)value, WTERMSIG(status));
    return 2;
}

int main(void)
{
    uint32_t count[3] = {0};
    setenv("BELAY_THREADS", "3", 1);
    setenv("BELAY_MEMORY", "1G", 1);
    if (UNDER_SANITIZER)
        return SKIPPED;
    /* From nothing more to plenty, in steps of an eighth. */
    uint32_t steps = 0;
    for (uint64_t bytes = 4096; bytes < UINT64_C(1) << 31; bytes += bytes / 8 / 4096 * 4096 + 4096, steps++) {
        int result = run_in_child(RLIMIT_AS, bytes, false);
        count[result < 2 ? result : 2]++;
    }
    printf("address space: %u limits, %u worked, %u were refused, %u faults\n", steps, count[0], count[1],
           count[2]);
    if (count[0] == 0 || count[1] == 0) {
        printf("FAULT: the limits do not reach from too little to enough\n");
        return 1;
    }

    uint32_t threads[3] = {0};
    bool is_skipped = getuid() != 0;
    for (uint64_t limit = 0; limit < 3 && !is_skipped; limit++) {
        /* The limit counts what the user runs already: for one that runs nothing, 0 refuses all threads. */
        int result = run_in_child(RLIMIT_NPROC, limit, true);
        is_skipped = result == SKIPPED;
        if (!is_skipped)
            threads[result < 2 ? result : 2]++;
    }
    if (is_skipped)
        printf("threads: skipped, as only root can become another user\n");
    else
        printf("threads: 3 limits, %u worked, %u were refused, %u faults\n", threads[0], threads[1],
               threads[2]);
    return count[2] + threads[2] != 0;
}
