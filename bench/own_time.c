/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What operators take of a program that looks them up, as torch_npu does: a library to be preloaded, which
 * answers dlsym for each function of an operator with one that measures it. Where phase 2 leaves work on its
 * stream it is measured until that is done.
 *
 * Each of ENTRIES functions calls what was looked up with all that its own caller may have passed: registers,
 * and as much of the stack as any operator takes. That is the calling convention of x86-64 alone. One thread
 * at a time looks functions up and calls them (TASK_QUEUE_ENABLE=0).
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if !defined(__x86_64__)
#error "arguments are passed on as on x86-64"
#endif

enum { ENTRIES = 4096, ENTRY_BYTES = 16, MEASUREMENTS = 500, TURNS = 20 };

struct stack {
    int64_t word[64]; /* no operator has more parameters */
};

#define PASSED                                                                                      \
    int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, double g, double h, double i, \
        double j, double k, double l, double m, double n, struct stack rest
#define GIVEN a, b, c, d, e, f, g, h, i, j, k, l, m, n, rest

typedef int any_function(PASSED);

void *dlsym(void *library, const char *name);
double own_time_taken(void);

static any_function *target[ENTRIES];
static bool runs[ENTRIES]; /* phase 2 */
static unsigned used;
static int (*query)(void *stream, int *status); /* which is 0 where all is done */
static int (*synchronize)(void *stream);
static void *(*real_dlsym)(void *library, const char *name);
static bool is_measuring; /* of a function that hands on to one that is looked up, the first counts alone */
static int64_t spent_ns;
static int64_t measuring_ns; /* what a measurement adds to what it measures */

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Sets the number of what was called, and goes on in `measured` with all that was passed: 16 bytes each. */
__asm__(".text\n"
        ".p2align 4\n"
        "entries:\n"
        ".set number, 0\n"
        ".rept 4096\n"
        "movl $number, called(%rip)\n"
        "jmp measured\n"
        ".p2align 4\n"
        ".set number, number + 1\n"
        ".endr");
extern const char entries[] __attribute__((visibility("hidden")));
static unsigned called __attribute__((used));

/* Phase 2 gets workspace, size, executor and stream. */
static __attribute__((used)) int measured(PASSED)
{
    const unsigned number = called;
    if (is_measuring)
        return target[number](GIVEN);
    is_measuring = true;
    const int64_t begin = now();
    const int status = target[number](GIVEN);
    spent_ns += now() - begin - measuring_ns;
    is_measuring = false;
    void *const stream = (void *)(uintptr_t)d;
    int is_left = 0;
    if (runs[number] && query(stream, &is_left) == 0 && is_left != 0) {
        const int64_t left = now();
        synchronize(stream);
        spent_ns += now() - left - measuring_ns;
    }
    return status;
}

/* Called by the loader, or before it gets so far; there is no other thread yet. */
static __attribute__((constructor)) void begin(void)
{
    *(void **)&real_dlsym = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    for (int turn = 0; turn < TURNS; turn++) { /* of which one is not interrupted */
        const int64_t start = now();
        for (int n = 0; n < MEASUREMENTS; n++)
            now();
        const int64_t each = (now() - start) / MEASUREMENTS;
        measuring_ns = turn == 0 || each < measuring_ns ? each : measuring_ns;
    }
}

void *dlsym(void *library, const char *name)
{
    if (real_dlsym == NULL)
        begin();
    void *found = real_dlsym(library, name);
    if (found == NULL || strncmp(name, "aclnn", 5) != 0)
        return found;
    unsigned number = 0;
    while (number < used && *(void **)&target[number] != found)
        number++;
    if (query == NULL) {
        *(void **)&query = real_dlsym(library, "aclrtStreamQuery");
        *(void **)&synchronize = real_dlsym(library, "aclrtSynchronizeStream");
    }
    if (query == NULL || synchronize == NULL || number == ENTRIES) {
        fprintf(stderr, "own_time: %s cannot be measured\n", name);
        abort();
    }
    *(void **)&target[number] = found;
    runs[number] = strstr(name, "GetWorkspaceSize") == NULL;
    used += number == used;
    return (void *)(uintptr_t)(entries + ENTRY_BYTES * number);
}

/* Seconds since the last call. */
double own_time_taken(void)
{
    const double taken = (double)spent_ns / 1e9;
    spent_ns = 0;
    return taken;
}
