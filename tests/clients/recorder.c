/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A library to preload that writes down the runtime calls of a program, for replay.c: one line a call, with
 * the thread, the moments at which it began and ended, the function, its status and its arguments. It stands
 * before the functions that the program links, and before dlsym for those that it looks up. Of operators it
 * sees phase 2 and the tensors. The lines go to the file that BELAY_RECORDING names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long word;

/* All arguments are integers or pointers, so that nine of them stand for any list of at most nine. */
typedef word function(word, word, word, word, word, word, word, word, word);

#define EXPORTED __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of `file` and `moment` */
static FILE *file;
static long moment;
static atomic_int threads;
static _Thread_local int thread;
static _Thread_local int depth; /* the library's calls of itself are not the program's */

/* The dlsym behind the one below, by the version that the C library of x86-64 or AArch64 gives it. */
static void *look_up(void *handle, const char *name)
{
    static _Atomic(void *) real;
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    for (int i = 0; real == NULL && i < 3; i++)
        real = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    return ((void *(*)(void *, const char *))real)(handle, name);
}

static void *symbol_of(const char *library, const char *name)
{
    return look_up(dlopen(library, RTLD_NOLOAD | RTLD_LAZY), name);
}

static void stop_in_child(void)
{
    file = NULL;
}

static long begin(void)
{
    if (depth++ > 0)
        return 0;
    pthread_mutex_lock(&lock);
    if (file == NULL && moment == 0) {
        const char *path = getenv("BELAY_RECORDING");
        file = path != NULL ? fopen(path, "we") : NULL;
        pthread_atfork(NULL, NULL, stop_in_child);
    }
    if (thread == 0)
        thread = atomic_fetch_add(&threads, 1) + 1;
    long now = ++moment;
    pthread_mutex_unlock(&lock);
    return now;
}

/*
 * `kinds` has a letter for each argument: h a handle or an address, i 32 bits, n 64 bits; o where a handle is
 * written to, b where the address of a block is whose bytes are the next argument; p a description of
 * physical memory, of which the device is kept; s where an answer goes, - nothing: of these two nothing is
 * kept.
 */
static void end(long began, const char *name, word status, const char *kinds, const word *argument)
{
    if (--depth > 0)
        return;
    pthread_mutex_lock(&lock);
    moment++;
    if (file != NULL) {
        fprintf(file, "%d %ld %ld %s %d", thread, began, moment, name, (int)status);
        for (int i = 0; kinds[i] != '\0'; i++)
            switch (kinds[i]) {
            case 'h':
                fprintf(file, " h%lx", argument[i]);
                break;
            case 'o':
            case 'b':
                fprintf(file, " o%lx", argument[i] != 0 && (int)status == 0 ? *(word *)argument[i] : 0);
                break;
            case 'p':
                fprintf(file, " %u", ((const uint32_t *)argument[i])[3]);
                break;
            case 'i':
                fprintf(file, " %d", (int)argument[i]);
                break;
            case 'n':
                fprintf(file, " %ld", argument[i]);
                break;
            default:
                break;
            }
        fputc('\n', file);
        fflush(file);
    }
    pthread_mutex_unlock(&lock);
}

static word forward(const char *name, const char *kinds, const word *argument)
{
    function *real = (function *)symbol_of("libascendcl.so", name);
    long began = begin();
    word status = real(argument[0], argument[1], argument[2], argument[3], argument[4], argument[5],
                       argument[6], argument[7], argument[8]);
    end(began, name, status, kinds, argument);
    return status;
}

#define RECORDED(name, kinds)                                                                            \
    EXPORTED word name(word a0, word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8); \
    word name(word a0, word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8)           \
    {                                                                                                    \
        return forward(#name, kinds, (const word[]){a0, a1, a2, a3, a4, a5, a6, a7, a8});                \
    }
#include "recorded.h"
#undef RECORDED

/* The one function that does not give a status: its shape is written before its handle. */
static word create_tensor(word dims, word rank, word dtype, word strides, word offset, word format,
                          word storage, word storage_rank, word data)
{
    function *real = (function *)symbol_of("libnnopbase.so", "aclCreateTensor");
    long began = begin();
    word tensor = real(dims, rank, dtype, strides, offset, format, storage, storage_rank, data);
    pthread_mutex_lock(&lock);
    if (file != NULL && depth == 1) {
        fprintf(file, "%d %ld %ld aclCreateTensor 0 o%lx h%lx %d %d %ld %d", thread, began, ++moment, tensor,
                data, (int)dtype, (int)format, offset, (int)rank);
        for (int i = 0; i < (int)rank; i++)
            fprintf(file, " %" PRId64 " %" PRId64, ((int64_t *)dims)[i], ((int64_t *)strides)[i]);
        fprintf(file, " %d", (int)storage_rank);
        for (int i = 0; i < (int)storage_rank; i++)
            fprintf(file, " %" PRId64, ((int64_t *)storage)[i]);
        fputc('\n', file);
    }
    depth--;
    pthread_mutex_unlock(&lock);
    return tensor;
}

static word destroy_tensor(word tensor, word a1, word a2, word a3, word a4, word a5, word a6, word a7,
                           word a8)
{
    function *real = (function *)symbol_of("libnnopbase.so", "aclDestroyTensor");
    long began = begin();
    word status = real(tensor, a1, a2, a3, a4, a5, a6, a7, a8);
    end(began, "aclDestroyTensor", status, "h", &tensor);
    return status;
}

/* Phase 2 of any operator: a function for each that is looked up, from a store of them. */
enum { LAUNCHES = 512 };
static function *launched[LAUNCHES];
static const char *launched_name[LAUNCHES];
static int launches;

static word launch(int which, word workspace, word bytes, word executor, word stream)
{
    long began = begin();
    word status = launched[which](workspace, bytes, executor, stream, 0, 0, 0, 0, 0);
    end(began, "launch", status, "-h", (const word[]){0, stream});
    return status;
}

#define LAUNCH(which)                                                                                  \
    static word launch_##which(word a, word b, word c, word d, word e, word f, word g, word h, word i) \
    {                                                                                                  \
        (void)e, (void)f, (void)g, (void)h, (void)i;                                                   \
        return launch(0##which, a, b, c, d);                                                           \
    }
#define NAME(which) launch_##which,
#define EIGHT(X, which) \
    X(which##0) X(which##1) X(which##2) X(which##3) X(which##4) X(which##5) X(which##6) X(which##7)
#define ALL(X)     \
    EIGHT_OF(X, 0) \
    EIGHT_OF(X, 1) EIGHT_OF(X, 2) EIGHT_OF(X, 3) EIGHT_OF(X, 4) EIGHT_OF(X, 5) EIGHT_OF(X, 6) EIGHT_OF(X, 7)
#define EIGHT_OF(X, which) \
    EIGHT(X, which##0)     \
    EIGHT(X, which##1)     \
    EIGHT(X, which##2)     \
    EIGHT(X, which##3) EIGHT(X, which##4) EIGHT(X, which##5) EIGHT(X, which##6) EIGHT(X, which##7)
ALL(LAUNCH)
static function *const launch_functions[LAUNCHES] = {ALL(NAME)};

static void *launch_of(const char *name, void *real)
{
    static const char phase_1[] = "GetWorkspaceSize";
    size_t length = strlen(name);
    if (length > strlen(phase_1) && strcmp(name + length - strlen(phase_1), phase_1) == 0)
        return real;
    pthread_mutex_lock(&lock);
    int which = 0;
    while (which < launches && strcmp(launched_name[which], name) != 0)
        which++;
    if (which == launches && launches < LAUNCHES) {
        launched[which] = (function *)real;
        launched_name[which] = strdup(name);
        launches++;
    }
    pthread_mutex_unlock(&lock);
    return which < LAUNCHES ? (void *)launch_functions[which] : real;
}

static const struct {
    const char *name;
    function *function;
} recorded[] = {
#define RECORDED(name, kinds) {#name, name},
#include "recorded.h"
#undef RECORDED
    {"aclCreateTensor", create_tensor},
    {"aclDestroyTensor", destroy_tensor},
};

EXPORTED void *dlsym(void *restrict handle, const char *restrict name);

void *dlsym(void *restrict handle, const char *restrict name)
{
    void *found = look_up(handle, name);
    if (found == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof recorded / sizeof recorded[0]; i++)
        if (strcmp(recorded[i].name, name) == 0)
            return (void *)recorded[i].function;
    return strncmp(name, "aclnn", 5) == 0 ? launch_of(name, found) : found;
}
