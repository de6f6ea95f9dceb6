/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The frames are read where they are (python_frames.h), and what was found is kept by a hash of them. The
 * releases of CPython whose frames are not known write them to a file by _Py_DumpTraceback, which
 * faulthandler uses in signal handlers: like the reading it needs neither the interpreter's lock, which
 * callers have often given up, nor memory. The file is a pipe of one page, so that what deep stacks write
 * beyond it is refused at once.
 */
#include "check/python_line.h"

#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/python_frames.h"
#include "check/stack.h"
#include "base/hash.h"

enum {
    PIPE_BYTES = 4096,
    LINE_BYTES = 256,
    LINES_MAX = 16384,
    SLOTS = 2 * LINES_MAX,
    CALLERS = STACK_FRAMES - 1
};

/* lock guards the pipe, and what is written to texts. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2] = {-1, -1};
static pid_t pipe_owner;
static _Atomic(char *) texts[LINES_MAX]; /* text n is at n; 0 has none; never freed */
static uint32_t text_count = 1;
static uint16_t slot[SLOTS]; /* by hash: the number, or 0 */

struct interpreter {
    int (*is_initialised)(void);
    void *(*thread)(void);
    void (*dump)(int file, void *thread);
    bool is_read; /* its frames can be */
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
        if (candidate.is_initialised == NULL || candidate.thread == NULL)
            return false;
        candidate.is_read = python_frames_can_be_read();
        if (!candidate.is_read && candidate.dump == NULL)
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
    static const char *const packages[] = {"/acl/", "/belay_npu/", "/torch/", "/torch_npu/", "/numpy/"};
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

/* The lines of a stack: that of the innermost frame of the program, and those of its callers. Of a stack that
 * lies between altogether, the innermost line. */
struct stack_lines {
    char line[LINE_BYTES], callers[(LINE_BYTES + 1) * CALLERS];
    bool has_line, belongs_between;
    uint32_t callers_count;
};

/* Enters the next frame, as PATH:12 (NAME). */
static void enter(struct stack_lines *lines, const char *path, size_t length, int number, const char *name)
{
    bool belongs_between = is_between(path, length), is_named = name[0] != '<';
    bool is_line = !lines->has_line || (lines->belongs_between && !belongs_between);
    if (!is_line && (belongs_between || lines->callers_count == CALLERS))
        return;
    size_t used = strlen(lines->callers);
    char *to = is_line ? lines->line : lines->callers + used;
    if (!is_line && lines->callers_count++ > 0)
        *to++ = '\n';
    snprintf(to, LINE_BYTES, "%.*s:%d%s%s%s", (int)length, path, number, is_named ? " (" : "",
             is_named ? name : "", is_named ? ")" : "");
    if (is_line) {
        lines->has_line = true;
        lines->belongs_between = belongs_between;
    }
}

/* Enters the frame at text, `  File "PATH", line 12 in NAME`. */
static void enter_text(struct stack_lines *lines, const char *text)
{
    static const char opening[] = "  File \"";
    if (strncmp(text, opening, sizeof opening - 1) != 0)
        return;
    const char *path = text + sizeof opening - 1;
    const char *end = strstr(path, "\", line ");
    int number;
    char name[PYTHON_NAME_BYTES];
    if (end != NULL && sscanf(end, "\", line %d in %127[^\n]", &number, name) == 2)
        enter(lines, path, (size_t)(end - path), number, name);
}

/* lock is held. */
static void dump(const struct interpreter *interpreter, void *thread, struct stack_lines *lines)
{
    char text[PIPE_BYTES + 1];
    if (!open_pipe())
        return;
    interpreter->dump(ends[1], thread);
    ssize_t length = read(ends[0], text, PIPE_BYTES);
    text[length > 0 ? length : 0] = '\0';
    for (char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0';
        enter_text(lines, at);
    }
}

/* lock is held. 0 when there is no room. */
static uint32_t number_of(const char *line)
{
    uint32_t at = (uint32_t)(hash_add(HASH_START, line, strlen(line)) % SLOTS);
    for (; slot[at] != 0; at = (at + 1) % SLOTS)
        if (strcmp(atomic_load_explicit(&texts[slot[at]], memory_order_relaxed), line) == 0)
            return slot[at];
    char *copy = text_count < LINES_MAX ? strdup(line) : NULL;
    if (copy == NULL)
        return 0;
    atomic_store_explicit(&texts[text_count], copy, memory_order_release);
    slot[at] = (uint16_t)text_count;
    return text_count++;
}

/* lock is held. */
static struct python_place numbers_of(const struct stack_lines *lines)
{
    struct python_place place = {0, 0};
    if (lines->has_line)
        place.line = number_of(lines->line);
    if (place.line != 0 && lines->callers_count > 0)
        place.callers = number_of(lines->callers);
    return place;
}

/* What stacks have been found to be, by their hashes: the numbers below, and above them what of the hash does
 * not follow from the place in the table. */
enum { NUMBER_BITS = 14, FOUND = 1 << 12 };
static_assert(LINES_MAX == 1 << NUMBER_BITS, "a number has as many bits");
static _Atomic uint64_t found[FOUND];

static struct python_place read_frames(const void *thread)
{
    struct python_frame frame[PYTHON_FRAMES];
    uint32_t count = python_frames_read(thread, frame);
    if (count == 0)
        return (struct python_place){0, 0};
    uint64_t hash = python_frames_hash(frame, count), mask = (UINT64_C(1) << NUMBER_BITS) - 1;
    _Atomic uint64_t *known = &found[hash % FOUND];
    uint64_t word = atomic_load_explicit(known, memory_order_acquire);
    if (word != 0 && ((word ^ hash) & ~(mask << NUMBER_BITS | mask)) == 0)
        return (struct python_place){(uint32_t)(word & mask), (uint32_t)(word >> NUMBER_BITS & mask)};
    static struct stack_lines lines; /* too large for small stacks */
    static char path[PYTHON_PATH_BYTES], name[PYTHON_NAME_BYTES];
    pthread_mutex_lock(&lock);
    lines = (struct stack_lines){.callers_count = 0};
    for (uint32_t i = 0; i < count && lines.callers_count < CALLERS; i++) {
        int line = python_frame_describe(&frame[i], path, name);
        enter(&lines, path, strlen(path), line, name);
    }
    struct python_place place = numbers_of(&lines);
    pthread_mutex_unlock(&lock);
    if (place.line != 0)
        atomic_store_explicit(known,
                              (hash & ~(mask << NUMBER_BITS | mask)) |
                                  (uint64_t)place.callers << NUMBER_BITS | place.line,
                              memory_order_release);
    return place;
}

struct python_place python_place_here(void)
{
    struct interpreter interpreter;
    struct python_place place = {0, 0};
    if (!find_interpreter(&interpreter) || !interpreter.is_initialised())
        return place;
    void *thread = interpreter.thread();
    if (thread == NULL)
        return place;
    if (interpreter.is_read)
        return read_frames(thread);
    static struct stack_lines lines;
    pthread_mutex_lock(&lock);
    lines = (struct stack_lines){.callers_count = 0};
    dump(&interpreter, thread, &lines);
    place = numbers_of(&lines);
    pthread_mutex_unlock(&lock);
    return place;
}

const char *python_line_text(uint32_t line)
{
    const char *text =
        line > 0 && line < LINES_MAX ? atomic_load_explicit(&texts[line], memory_order_acquire) : NULL;
    return text != NULL ? text : "";
}

void python_line_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
}
