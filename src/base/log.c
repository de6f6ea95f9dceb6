/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Composes log lines and writes them to standard output or to files that rotate. Lines are put together on
 * the stack and written with one system call, so that those of several threads do not mix.
 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl_base.h"
#include "base/cancellation.h"
#include "base/error.h"
#include "base/local_time.h"
#include "base/saboteur.h"
#include "base/settings_peek.h"

enum {
    TEXT_BYTES = 1024,
    LINE_BYTES = 1536,
    FOLDER_BYTES = 1024,
    NAME_BYTES = 64,
    FILES_MAX = 1000,
    FILE_BYTES_MAX = 20 << 20
};

static const char *const module_names[LOG_MODULES] = {"RUNTIME", "APP", "ASCENDCL", "OP"};

/* Written once, before is_read; constant afterwards. */
static pthread_once_t read_once = PTHREAD_ONCE_INIT;
static _Atomic bool is_read;
static enum log_level least_level[LOG_MODULES]; /* LOG_NOTHING everywhere when there is nowhere to write to */
static bool prints_to_stdout;
static char folder[FOLDER_BYTES]; /* the one that the user names */
static const char *below;         /* the folders below it, in which the files are */
static uint32_t files_max = 10;

/* lock guards the file that is open and the names of those that were. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file_descriptor = -1;
static bool has_given_up; /* the file could not be opened: it is not tried again for every line */
static uint64_t file_bytes;
static uint64_t file_count;
static uint64_t file_stamps[FILES_MAX]; /* of file number i at i % FILES_MAX */
static pid_t file_process;

/* One digit from 0 to greatest and nothing else; unset or anything else gives the fallback, as the vendor has
 * it. */
static uint32_t digit_variable(const char *name, char greatest, uint32_t fallback)
{
    const char *text = secure_getenv(name);
    if (text == NULL || text[0] < '0' || text[0] > greatest || text[1] != '\0')
        return fallback;
    return (uint32_t)(text[0] - '0');
}

/* NAME=level[:NAME=level...]. One mistake in it makes all of it count for nothing. */
static void read_module_levels(void)
{
    const char *text = secure_getenv("ASCEND_MODULE_LOG_LEVEL");
    enum log_level levels[LOG_MODULES];
    memcpy(levels, least_level, sizeof levels);
    if (text == NULL)
        return;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, "=:");
        if (length == 0 || at[length] != '=' || at[length + 1] < '0' || at[length + 1] > '4')
            return;
        for (size_t i = 0; i < LOG_MODULES; i++) {
            if (strlen(module_names[i]) == length && memcmp(module_names[i], at, length) == 0)
                levels[i] = (enum log_level)(at[length + 1] - '0');
        }
        at += length + 2;
        if (*at == '\0')
            break;
        if (*at != ':')
            return;
    }
    memcpy(least_level, levels, sizeof levels);
}

static void read_folder(void)
{
    const char *path = secure_getenv("ASCEND_PROCESS_LOG_PATH");
    below = "debug/plog";
    if (path == NULL || *path == '\0') {
        path = secure_getenv("ASCEND_WORK_PATH");
        below = "log/debug/plog";
    }
    if (path == NULL || *path == '\0')
        return;
    int length = snprintf(folder, sizeof folder, "%s", path);
    if ((size_t)length >= sizeof folder)
        folder[0] = '\0';
}

static void read_variables(void)
{
    uint32_t level = digit_variable("ASCEND_GLOBAL_LOG_LEVEL", '4', LOG_ERROR);
    prints_to_stdout = digit_variable("ASCEND_LOG_PRINT_TO_STDOUT", '1',
                                      digit_variable("ASCEND_SLOG_PRINT_TO_STDOUT", '1', 0)) == 1;
    if (!prints_to_stdout)
        read_folder();
    for (size_t i = 0; i < LOG_MODULES; i++)
        least_level[i] = (enum log_level)level;
    read_module_levels();
    for (size_t i = 0; i < LOG_MODULES && !prints_to_stdout && folder[0] == '\0'; i++)
        least_level[i] = LOG_NOTHING;

    const char *count = secure_getenv("ASCEND_HOST_LOG_FILE_NUM");
    size_t digits = count != NULL ? strspn(count, "0123456789") : 0;
    if (digits >= 1 && digits <= 4 && count[digits] == '\0') {
        unsigned long found = strtoul(count, NULL, 10);
        if (found >= 1 && found <= FILES_MAX)
            files_max = (uint32_t)found;
    }
    atomic_store_explicit(&is_read, true, memory_order_release);
}

bool log_wants(enum log_module module, enum log_level level)
{
    if (!atomic_load_explicit(&is_read, memory_order_acquire))
        pthread_once(&read_once, read_variables);
    return level < LOG_NOTHING && level >= least_level[module];
}

/*
 * Writes without the signals that a closed pipe or a limit on file sizes would raise: they are for programs
 * that print, not for those whose library does.
 */
static bool write_quietly(int file, const char *bytes, size_t count)
{
    sigset_t ours, before, pending;
    sigemptyset(&ours);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGXFSZ);
    sigpending(&pending);
    bool had_pipe = sigismember(&pending, SIGPIPE) == 1;
    bool had_size = sigismember(&pending, SIGXFSZ) == 1;
    if (pthread_sigmask(SIG_BLOCK, &ours, &before) != 0)
        return false;

    ssize_t written;
    do
        written = write(file, bytes, count);
    while (written < 0 && errno == EINTR);

    if (written < 0 && ((errno == EPIPE && !had_pipe) || (errno == EFBIG && !had_size))) {
        sigset_t raised;
        sigemptyset(&raised);
        sigaddset(&raised, errno == EPIPE ? SIGPIPE : SIGXFSZ);
        while (sigtimedwait(&raised, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
            continue;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return written > 0;
}

/* lock is held. */
static void file_name(char name[NAME_BYTES], uint64_t stamp)
{
    snprintf(name, NAME_BYTES, "plog-%ld_%017llu.log", (long)file_process, (unsigned long long)stamp);
}

/* Makes every folder of the path that is missing, with access for the user and their group. */
static void create_folders(const char *path)
{
    char part[FOLDER_BYTES];
    size_t length = strlen(path);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] == '/' || path[i] == '\0') {
            memcpy(part, path, i);
            part[i] = '\0';
            mkdir(part, 0750);
        }
    }
}

/*
 * The folder of the files, made where it is missing; -1 where it cannot be. The folder that the user names
 * may be one in which others write too, so that what is below it is taken as a folder or not at all: a link
 * there would lead wherever its maker wants.
 */
static int open_folder(void)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    create_folders(folder);
    int opened = open(folder, flags);
    for (const char *at = below; opened >= 0 && *at != '\0'; at += strspn(at, "/")) {
        char name[16];
        size_t length = strcspn(at, "/");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        mkdirat(opened, name, 0750);
        int next = openat(opened, name, flags | O_NOFOLLOW);
        close(opened);
        opened = next;
        at += length;
    }
    return opened;
}

/* Year to millisecond as one number, for file names; strictly greater than the last one. */
static uint64_t time_stamp(void)
{
    char text[LOCAL_TIME_BYTES];
    uint64_t stamp = 0;
    local_time_text(text);
    for (size_t i = 0; i < 23; i++) {
        if (text[i] >= '0' && text[i] <= '9')
            stamp = stamp * 10 + (uint64_t)(text[i] - '0');
    }
    uint64_t last = file_count > 0 ? file_stamps[(file_count - 1) % FILES_MAX] : 0;
    return stamp > last ? stamp : last + 1;
}

/* lock is held. Opens the first file, or the next one when this is full, and removes the oldest. */
static bool open_file(void)
{
    char name[NAME_BYTES];
    if (has_given_up)
        return false;
    if (file_descriptor >= 0 && file_bytes < FILE_BYTES_MAX)
        return true;
    if (file_descriptor >= 0)
        close(file_descriptor);

    file_process = file_process != 0 ? file_process : getpid();
    uint64_t stamp = time_stamp();
    int opened = open_folder();
    file_name(name, stamp);
    file_descriptor =
        opened < 0
            ? -1
            : openat(opened, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    has_given_up = file_descriptor < 0;
    if (!has_given_up) {
        file_bytes = 0;
        file_stamps[file_count++ % FILES_MAX] = stamp;
    }
    if (!has_given_up && file_count > files_max) {
        file_name(name, file_stamps[(file_count - 1 - files_max) % FILES_MAX]);
        unlinkat(opened, name, 0);
    }
    if (opened >= 0)
        close(opened);
    return !has_given_up;
}

static void write_line(const char *line, size_t length)
{
    if (prints_to_stdout) {
        write_quietly(STDOUT_FILENO, line, length);
        return;
    }
    pthread_mutex_lock(&lock);
    if (!disk_is_full(below) && open_file() && write_quietly(file_descriptor, line, length))
        file_bytes += length;
    pthread_mutex_unlock(&lock);
}

__attribute__((format(printf, 5, 0))) static void compose(enum log_module module, enum log_level level,
                                                          const char *file, uint32_t line_number,
                                                          const char *format, va_list arguments)
{
    static const char *const level_names[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
    char raw[TEXT_BYTES], text[TEXT_BYTES], where[128], now[LOCAL_TIME_BYTES], line[LINE_BYTES];
    int kept_errno = errno;
    int cancellation = cancellation_hold();
    const char *slash = file != NULL ? strrchr(file, '/') : NULL;
    error_escape(where, sizeof where, slash != NULL ? slash + 1 : file != NULL ? file : "");
    if (vsnprintf(raw, sizeof raw, format, arguments) < 0)
        raw[0] = '\0';
    size_t length = strlen(raw);
    if (length > 0 && raw[length - 1] == '\n')
        raw[length - 1] = '\0';
    error_escape(text, sizeof text, raw);
    local_time_text(now);
    int count = snprintf(line, sizeof line, "[%s] %s(%ld,%.64s):%s [%s:%u]%s\n", level_names[level],
                         module_names[module], (long)getpid(), program_invocation_short_name, now, where,
                         line_number, text);
    write_line(line, (size_t)count < sizeof line ? (size_t)count : sizeof line - 1);
    cancellation_allow(cancellation);
    errno = kept_errno;
}

void log_line(enum log_module module, enum log_level level, const char *file, uint32_t line,
              const char *format, ...)
{
    if (!log_wants(module, level))
        return;
    va_list arguments;
    va_start(arguments, format);
    compose(module, level, file, line, format, arguments);
    va_end(arguments);
}

void log_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);
}

__attribute__((format(printf, 5, 6))) void aclAppLog(aclLogLevel logLevel, const char *func, const char *file,
                                                     uint32_t line, const char *fmt, ...);

void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line, const char *fmt, ...)
{
    const struct settings *settings;
    char text[TEXT_BYTES];
    if (settings_peek(&settings) != 0)
        return;
    if ((int)logLevel < ACL_DEBUG || (int)logLevel > ACL_ERROR) {
        fail(ACL_ERROR_INVALID_PARAM, "aclAppLog: logLevel is %d; ACL_DEBUG (0) to ACL_ERROR (3) is expected",
             (int)logLevel);
        return;
    }
    if (fmt == NULL) {
        fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "aclAppLog: fmt is NULL; a format is expected");
        return;
    }
    if (!log_wants(LOG_MODULE_APP, (enum log_level)logLevel))
        return;
    va_list arguments;
    va_start(arguments, fmt);
    if (vsnprintf(text, sizeof text, fmt, arguments) < 0)
        text[0] = '\0';
    va_end(arguments);
    log_line(LOG_MODULE_APP, (enum log_level)logLevel, file, line, "%ld %s: %s", (long)syscall(SYS_gettid),
             func != NULL ? func : "", text);
}
