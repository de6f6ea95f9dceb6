/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * CPython writes the frames of a thread to a file by _Py_DumpTraceback, which faulthandler uses in signal
 * handlers: it needs neither the interpreter's lock, which callers have often given up, nor memory. The file
 * is a pipe of one page, so that what deep stacks write beyond it is refused at once.
 */
#include "check/python_line.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIPE_BYTES = 4096, LINE_BYTES = 512, LINES_MAX = 4096, SLOTS = 2 * LINES_MAX };

/* lock guards the pipe, and what is written to lines. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2] = {-1, -1};
static pid_t pipe_owner;
static _Atomic(char *) lines[LINES_MAX]; /* line n is at n; 0 has none; never freed */
static uint32_t line_count = 1;
static uint16_t slot[SLOTS]; /* by hash: the line, or 0 */

struct interpreter {
    int (*is_initialised)(void);
    void *(*thread)(void);
    void (*dump)(int file, void *thread);
};

/* Looked up until it is there: programs may load Python late. */
static bool find_interpreter(struct interpreter *interpreter)
{
    static struct interpreter found;
    static _Atomic bool is_found;
    static _Atomic uint32_t misses;
    if (!atomic_load_explicit(&is_found, memory_order_acquire)) {
        uint32_t miss = atomic_fetch_add_explicit(&misses, 1, memory_order_relaxed);
        if ((miss & (miss - 1)) != 0)
            return false;
        struct interpreter candidate;
        *(void **)&candidate.is_initialised = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
        *(void **)&candidate.thread = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
        *(void **)&candidate.dump = dlsym(RTLD_DEFAULT, "_Py_DumpTraceback");
        if (candidate.is_initialised == NULL || candidate.thread == NULL || candidate.dump == NULL)
            return false;
        pthread_mutex_lock(&lock);
        found = candidate;
        pthread_mutex_unlock(&lock);
        atomic_store_explicit(&is_found, true, memory_order_release);
    }
    *interpreter = found;
    return true;
}

/* lock is held. */
static bool open_pipe(void)
{
    if (ends[0] >= 0 && pipe_owner == getpid())
        return true;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        ends[0] = -1;
        return false;
    }
    pipe_owner = getpid();
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
    return true;
}

/* Whether the file belongs to what lies between a program and this library. */
static bool is_between(const char *path, size_t length)
{
    static const char *const packages[] = {"/acl/", "/belay/", "/torch/", "/torch_npu/", "/numpy/"};
    static const char site[] = "-packages";
    char text[PIPE_BYTES];
    if (length >= sizeof text)
        return false;
    memcpy(text, path, length);
    text[length] = '\0';
    if (text[0] == '<') /* <frozen importlib._bootstrap> and the like */
        return true;
    if (strstr(text, "/ctypes/__init__.py") != NULL) /* string_at and its like touch for others */
        return true;
    const char *packaged = strstr(text, site);
    const char *source = strstr(text, "/python/"); /* the packages where they are developed */
    for (size_t i = 0; i < sizeof packages / sizeof packages[0]; i++)
        if ((packaged != NULL &&
             strncmp(packaged + sizeof site - 1, packages[i], strlen(packages[i])) == 0) ||
            (source != NULL && i < 2 && strncmp(source + 7, packages[i], strlen(packages[i])) == 0))
            return true;
    return false;
}

/* The frame at text, `  File "PATH", line 12 in NAME`, as PATH:12 (NAME). */
static bool read_frame(const char *text, char *line, size_t bytes, bool *belongs_between)
{
    static const char opening[] = "  File \"";
    if (strncmp(text, opening, sizeof opening - 1) != 0)
        return false;
    const char *path = text + sizeof opening - 1;
    const char *end = strstr(path, "\", line ");
    int number, name_length = 0;
    char name[128];
    if (end == NULL || sscanf(end, "\", line %d in %127[^\n]%n", &number, name, &name_length) != 2)
        return false;
    *belongs_between = is_between(path, (size_t)(end - path));
    snprintf(line, bytes, "%.*s:%d%s%s%s", (int)(end - path), path, number, name[0] == '<' ? "" : " (",
             name[0] == '<' ? "" : name, name[0] == '<' ? "" : ")");
    return true;
}

/* lock is held. The innermost frame where all lie between; false without any. */
static bool choose_frame(char *text, char line[LINE_BYTES])
{
    bool has_any = false;
    for (char *at = text; at != NULL && *at != '\0';) {
        char *end = strchr(at, '\n');
        char candidate[LINE_BYTES];
        bool belongs_between;
        if (end == NULL)
            break;
        *end = '\0';
        if (read_frame(at, candidate, sizeof candidate, &belongs_between) && (!has_any || !belongs_between)) {
            memcpy(line, candidate, LINE_BYTES);
            has_any = true;
            if (!belongs_between)
                break;
        }
        at = end + 1;
    }
    return has_any;
}

/* lock is held. 0 when there is no room. */
static uint32_t number_of(const char *line)
{
    uint32_t hash = 2166136261u;
    for (const char *at = line; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    uint32_t at = hash % SLOTS;
    for (; slot[at] != 0; at = (at + 1) % SLOTS)
        if (strcmp(atomic_load_explicit(&lines[slot[at]], memory_order_relaxed), line) == 0)
            return slot[at];
    char *copy = line_count < LINES_MAX ? strdup(line) : NULL;
    if (copy == NULL)
        return 0;
    atomic_store_explicit(&lines[line_count], copy, memory_order_release);
    slot[at] = (uint16_t)line_count;
    return line_count++;
}

uint32_t python_line_here(void)
{
    struct interpreter interpreter;
    if (!find_interpreter(&interpreter) || !interpreter.is_initialised())
        return 0;
    void *thread = interpreter.thread();
    if (thread == NULL)
        return 0;
    char text[PIPE_BYTES + 1], line[LINE_BYTES];
    uint32_t number = 0;
    pthread_mutex_lock(&lock);
    if (open_pipe()) {
        interpreter.dump(ends[1], thread);
        ssize_t length = read(ends[0], text, PIPE_BYTES);
        text[length > 0 ? length : 0] = '\0';
        if (choose_frame(text, line))
            number = number_of(line);
    }
    pthread_mutex_unlock(&lock);
    return number;
}

const char *python_line_text(uint32_t line)
{
    const char *text =
        line > 0 && line < LINES_MAX ? atomic_load_explicit(&lines[line], memory_order_acquire) : NULL;
    return text != NULL ? text : "";
}

void python_line_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
}
